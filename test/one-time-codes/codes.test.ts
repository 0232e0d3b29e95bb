import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createEncryption } from '../../src/context/encryption.ts';
import { codeFits, codeMac, isLive, minutesOf, newCode, wrongCode } from '../../src/one-time-codes/codes.ts';

const use = (purpose: 'sign-in-code' | 'destination-code', subject: string) => ({ purpose, subject });

describe('One-time codes', () => {
  it('are six digits, no matter what they begin with', () => {
    const codes = Array.from({ length: 2_000 }, newCode);
    for (const code of codes) assert.match(code, /^\d{6}$/);
    assert(codes.some((code) => code.startsWith('0')));
    assert(new Set(codes).size > 1_900);
  });

  it('fit their own subject and purpose alone, under every key of the list', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const encryption = createEncryption([first]);
    const kept = codeMac(encryption, use('destination-code', 'dst_1'), '123456');
    assert(codeFits(encryption, use('destination-code', 'dst_1'), { code: '123456', mac: kept }));
    assert(
      codeFits(createEncryption([second, first]), use('destination-code', 'dst_1'), { code: '123456', mac: kept }),
    );
    assert(!codeFits(encryption, use('destination-code', 'dst_1'), { code: '123457', mac: kept }));
    assert(!codeFits(encryption, use('destination-code', 'dst_2'), { code: '123456', mac: kept }));
    assert(!codeFits(encryption, use('sign-in-code', 'dst_1'), { code: '123456', mac: kept }));
    assert(!codeFits(createEncryption([second]), use('destination-code', 'dst_1'), { code: '123456', mac: kept }));
  });

  it('count until they were used, their time is over, or five were wrong', () => {
    const live = { code: 'mac', tries: 4, live: true };
    assert(isLive(live));
    assert(!isLive(null));
    assert(!isLive({ ...live, code: null }));
    assert(!isLive({ ...live, tries: 5 }));
    assert(!isLive({ ...live, live: false }));
    assert.deepEqual(wrongCode(live).extra, { verified: false, tries_left: 0 });
  });

  it('say in words how long they are good for', () => {
    assert.deepEqual([30, 60, 119, 600].map(minutesOf), ['1 minute', '1 minute', '1 minute', '10 minutes']);
  });
});
