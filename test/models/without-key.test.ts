import assert from 'node:assert/strict';
import { withoutKey } from '../../activities/models/without-key.ts';

const KEY = 'sk-proj-a.B/c+d"e\\f_0123456789';

describe('An answer without the key by which it was asked for', () => {
  const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') => Buffer.from(text).toString(encoding);

  for (const [form, said] of [
    ['as it stands', `Your key is ${KEY}.`],
    ['in capitals', KEY.toUpperCase()],
    ['in JSON', JSON.stringify({ authorization: `Bearer ${KEY}` })],
    ['in an address', `https://x.invalid/?key=${encodeURIComponent(KEY)}&n=1`],
    ['in hexadecimal', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['in base64', base64(KEY)],
    ['in base64 behind a name', base64(`user:${KEY}`)],
    ['in base64 between others', base64(`{"a":"${KEY}","b":1}`)],
    ['in base64 for addresses', base64(`Bearer ${KEY}`, 'base64url')],
  ] as const)
    it(`has none ${form}`, () => {
      const masked = withoutKey(said, KEY);
      assert(masked.includes('[key]'), masked);
      for (const part of [
        KEY,
        KEY.slice(2, -2),
        base64(KEY).slice(4, -4),
        Buffer.from(KEY).toString('hex').slice(4, -4),
      ])
        assert(!masked.toLowerCase().includes(part.toLowerCase()), masked);
    });

  it('says everything else as it was', () => {
    const text = `A $& text of sk-proj-another-key, ${base64('and of this')}\n`;
    assert.equal(withoutKey(text, KEY), text);
    assert.equal(withoutKey(text, undefined), text);
    assert.equal(withoutKey('an answer with x in it', 'x'), 'an answer with x in it', 'which is no secret');
  });
});
