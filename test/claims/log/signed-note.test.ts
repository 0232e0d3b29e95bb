import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import {
  checkpointText,
  parseCheckpoint,
  parseNote,
  signNote,
  verifiedSignatures,
  verifyNote,
} from '../../../src/claims/log/signed-note.ts';
import { NoteFault, parseVkey, SIGNATURE_TYPE, vkeyOf } from '../../../src/fields/verifier-key.ts';

// The examples of c2sp.org/signed-note and c2sp.org/tlog-cosignature.
const EXAMPLE_VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const EXAMPLE =
  'This is an example message.\n\n' +
  '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

const NAME = 'carnet.log/test';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const vkey = vkeyOf(NAME, publicKey);
const rootHash = Buffer.alloc(32, 7);
const text = checkpointText({ origin: NAME, size: 42, rootHash });
const note = signNote(text, { name: NAME, privateKey });

const WITNESS = 'witness.example/w1';
const AT = 1_679_315_147n;
const ed = generateKeyPairSync('ed25519');
const ml = generateKeyPairSync('ml-dsa-44');

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** A line of a witness, made here from the words of the specification. */
function line(
  type: number,
  { key, message, vkey: known, timestamp = AT }: { key: KeyObject; message: Buffer; vkey: string; timestamp?: bigint },
): string {
  assert.ok(type > 1);
  const [name = '', keyId = ''] = known.split('+');
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), u64(timestamp), sign(null, message, key)]);
  return `— ${name} ${bytes.toString('base64')}\n`;
}
const edVkey = vkeyOf(WITNESS, ed.publicKey, SIGNATURE_TYPE.ed25519Cosignature);
const mlVkey = vkeyOf(WITNESS, ml.publicKey, SIGNATURE_TYPE.mlDsa44Cosignature);
const edLine = line(4, {
  key: ed.privateKey,
  message: Buffer.from(`cosignature/v1\ntime ${AT}\n${text}`),
  vkey: edVkey,
});
const subtree = (name = WITNESS): Buffer =>
  Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    Buffer.of(name.length),
    Buffer.from(name),
    u64(AT),
    Buffer.of(NAME.length),
    Buffer.from(NAME),
    u64(0n),
    u64(42n),
    rootHash,
  ]);
const mlLine = line(6, { key: ml.privateKey, message: subtree(), vkey: mlVkey });

const refuses = (work: () => unknown, why: RegExp): void =>
  assert.throws(work, (error) => error instanceof NoteFault && why.test(error.message));

describe('signNote and verifyNote', () => {
  it('verify the example of the specification', () => {
    assert.deepEqual(verifyNote(EXAMPLE, [EXAMPLE_VKEY]), {
      text: 'This is an example message.\n',
      verifiedBy: ['example.com/foo'],
    });
  });

  it('make the key id and the vkey of the specification from name and key', () => {
    assert.equal(vkeyOf('example.com/foo', parseVkey(EXAMPLE_VKEY).publicKey), EXAMPLE_VKEY);
  });

  it('sign the text as it is, with its newline', () => {
    const { text: read, signatures } = parseNote(note);
    assert.equal(read, text);
    const [signature] = signatures;
    assert.equal(signature?.name, NAME);
    assert.ok(verify(null, Buffer.from(text), publicKey, signature?.bytes ?? assert.fail()));
    assert.deepEqual(verifyNote(note, [vkey]).verifiedBy, [NAME]);
  });

  it('split a text with empty lines at the last one', () => {
    const made = signNote('one\n\ntwo\n', { name: NAME, privateKey });
    assert.equal(verifyNote(made, [vkey]).text, 'one\n\ntwo\n');
  });

  it('pass over signatures of unknown keys, even of the same name', () => {
    const other = generateKeyPairSync('ed25519');
    const foreign = parseNote(signNote(text, { name: NAME, privateKey: other.privateKey })).signatures[0]?.line ?? '';
    assert.deepEqual(verifyNote(`${note}${foreign}\n`, [vkey]).verifiedBy, [NAME]);
    refuses(() => verifyNote(note, [vkeyOf(NAME, other.publicKey)]), /No known key/);
    refuses(() => verifyNote(note, []), /No known key/);
  });

  it('refuse the whole note where the signature of a known key fails', () => {
    const forged = note.replace('\n42\n', '\n43\n');
    refuses(() => verifyNote(forged, [vkey]), /does not verify/);
    refuses(() => verifyNote(forged + edLine, [vkey, edVkey]), /does not verify/);
  });

  it('refuse control characters, lone surrogates, missing newlines and malformed lines', () => {
    const signature = note.slice(note.indexOf('—'));
    for (const wrong of [
      '',
      'text',
      text,
      `${text}\n`,
      note.slice(0, -1),
      note.replace('42', '4\t2'),
      note.replace('42', '42\r'),
      note.replace('42', '4\ud800'),
      note.replace('— ', '- '),
      note.replace('— ', '—  '),
      note.replace('=\n', '\n'),
      `${text}\n— ${NAME} AAAA\n`,
      `${text}\n— ${NAME} \n`,
      `${text}\n—  AAAAAAAA\n`,
      `${text}\n— a+b AAAAAAAA\n`,
      `${text}\n— a\u00a0b AAAAAAAA\n`,
      `${note}extra\n`,
      `${text}\n${signature.repeat(101)}`,
    ]) {
      refuses(() => verifyNote(wrong, [vkey]), /./);
    }
    assert.deepEqual(verifyNote(`${text}\n${signature.repeat(64)}`, [vkey]).verifiedBy, [NAME]);
  });

  it('refuse to sign what is no text of a note', () => {
    refuses(() => signNote('no newline', { name: NAME, privateKey }), /newline/);
    refuses(() => signNote('a\tb\n', { name: NAME, privateKey }), /control/);
    refuses(() => signNote(text, { name: 'a b', privateKey }), /name of a key/);
  });

  it('take no note of which one bit was changed', () => {
    const whole = Buffer.from(note);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        refuses(() => verifyNote(changed.toString('utf8'), [vkey]), /./);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('cosignatures', () => {
  it('by Ed25519 verify, with their time', () => {
    const { verified } = verifiedSignatures(note + edLine, [vkey, edVkey]);
    assert.deepEqual(
      verified.map(({ key, timestamp }) => [key.name, timestamp]),
      [
        [NAME, null],
        [WITNESS, Number(AT)],
      ],
    );
  });

  it('by ML-DSA-44 verify, with their time', () => {
    const { verified } = verifiedSignatures(note + mlLine, [mlVkey]);
    assert.deepEqual(
      verified.map(({ key, timestamp, line: kept }) => [key.type, timestamp, `${kept}\n`]),
      [[6, Number(AT), mlLine]],
    );
  });

  it('of one witness by both keys count as one name', () => {
    assert.deepEqual(verifyNote(note + edLine + mlLine, [edVkey, mlVkey]).verifiedBy, [WITNESS]);
  });

  it('fail where time, name, size, root or the kind of signature is another', () => {
    const known = { vkey: edVkey };
    const later = line(4, {
      key: ed.privateKey,
      message: Buffer.from(`cosignature/v1\ntime ${AT}\n${text}`),
      ...known,
      timestamp: AT + 1n,
    });
    refuses(() => verifyNote(note + later, [edVkey]), /does not verify/);
    refuses(
      () => verifyNote(note + line(4, { key: ed.privateKey, message: Buffer.from(text), ...known }), [edVkey]),
      /does not verify/,
    );
    const renamed = line(6, { key: ml.privateKey, message: subtree('witness.example/w2'), vkey: mlVkey });
    refuses(() => verifyNote(note + renamed, [mlVkey]), /does not verify/);
    const other = signNote(checkpointText({ origin: NAME, size: 43, rootHash }), { name: NAME, privateKey });
    refuses(() => verifyNote(other + edLine, [edVkey]), /does not verify/);
    refuses(() => verifyNote(other + mlLine, [mlVkey]), /does not verify/);
    const endless = line(4, {
      key: ed.privateKey,
      message: Buffer.from(`cosignature/v1\ntime ${2n ** 63n}\n${text}`),
      ...known,
      timestamp: 2n ** 63n,
    });
    refuses(() => verifyNote(note + endless, [edVkey]), /does not verify/);
  });

  it('by a key that was known for plain signatures do not count as such', () => {
    const plain = vkeyOf(WITNESS, ed.publicKey);
    refuses(() => verifyNote(note + edLine, [plain]), /No known key/);
  });
});

describe('parseVkey', () => {
  it('refuses another id, an unknown type, keys of another length, and no base64', () => {
    const [name = '', id = '', key = ''] = EXAMPLE_VKEY.split('+');
    refuses(() => parseVkey(`${name}+530d903b+${key}`), /does not belong/);
    refuses(() => parseVkey(`example.com/fo+${id}+${key}`), /does not belong/);
    refuses(() => parseVkey(`${name}+${id}+${Buffer.alloc(33, 2).toString('base64')}`), /type 1 or 4/);
    refuses(() => parseVkey(`${name}+${id}+${Buffer.alloc(32, 1).toString('base64')}`), /type 1 or 4/);
    for (const wrong of [
      '',
      name,
      `${name}+${id}`,
      `${name}+${id}+`,
      `${name}+${id}+*`,
      `${name}+530D903A+${key}`,
      `+${id}+${key}`,
    ]) {
      refuses(() => parseVkey(wrong), /./);
    }
  });

  it('reads keys whose base64 has a plus', () => {
    for (let at = 0; at < 50; at += 1) {
      const made = vkeyOf(NAME, generateKeyPairSync('ed25519').publicKey);
      assert.equal(vkeyOf(NAME, parseVkey(made).publicKey), made);
    }
  });
});

describe('checkpoints', () => {
  it('are read as they are written', () => {
    assert.equal(text, `${NAME}\n42\n${rootHash.toString('base64')}\n`);
    assert.deepEqual(parseCheckpoint(text), { origin: NAME, size: 42, rootHash });
    assert.deepEqual(parseCheckpoint(`${text}more\n`), { origin: NAME, size: 42, rootHash });
    assert.equal(parseCheckpoint(checkpointText({ origin: NAME, size: 0, rootHash })).size, 0);
  });

  it('of another form are refused', () => {
    const [origin = '', size = '', root = ''] = text.split('\n');
    for (const wrong of [
      '',
      origin,
      `${origin}\n${size}\n`,
      `${origin}\n${size}\n${root}`,
      `\n${size}\n${root}\n`,
      `${origin}\n042\n${root}\n`,
      `${origin}\n-1\n${root}\n`,
      `${origin}\n4e1\n${root}\n`,
      `${origin}\n9007199254740993\n${root}\n`,
      `${origin}\n \n${root}\n`,
      `${origin}\n${size}\nAAAA\n`,
      `${origin}\n${size}\n${root.replace('=', '')}\n`,
      `${text}\n`,
      `${text}\nmore\n`,
    ]) {
      refuses(() => parseCheckpoint(wrong), /checkpoint/);
    }
  });
});

it('a private key from its JWK signs as the one it was made of', () => {
  const again = createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' });
  assert.equal(signNote(text, { name: NAME, privateKey: again }), note);
  assert.equal(vkeyOf(NAME, createPublicKey(again)), vkey);
});
