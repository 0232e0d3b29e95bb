import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { SIGNATURE_TYPE } from '../../../../src/fields/verifier-key.ts';
import type { Behaviour } from '../../../notifications/support/receiver.ts';
import { consistencyVerifies } from '../rfc9162.ts';

/** The keys of a witness. */
export interface WitnessKeys {
  name: string;
  ed25519: KeyObject;
  mlDsa44: KeyObject;
}

function u64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const lined = (text: string): Buffer => Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);

const rawOf = (key: KeyObject): Buffer => {
  const { x, pub } = createPublicKey(key).export({ format: 'jwk' }) as { x?: string; pub?: string };
  return Buffer.from(x ?? pub ?? '', 'base64url');
};

/** The lines by which a witness cosigns the text of a checkpoint, made from the words of c2sp.org/tlog-cosignature. */
export function cosign(
  text: string,
  { name, ed25519, mlDsa44 }: WitnessKeys,
  seconds = Math.floor(Date.now() / 1_000),
): { ed25519: string; mlDsa44: string } {
  const [origin = '', size = '', root = ''] = text.split('\n');
  const line = (type: number, key: KeyObject, message: Buffer): string => {
    const keyId = createHash('sha256')
      .update(`${name}\n`)
      .update(Buffer.of(type))
      .update(rawOf(key))
      .digest()
      .subarray(0, 4);
    return `— ${name} ${Buffer.concat([keyId, u64(seconds), sign(null, message, key)]).toString('base64')}\n`;
  };
  const subtree = Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    lined(name),
    u64(seconds),
    lined(origin),
    u64(0),
    u64(BigInt(size)),
    Buffer.from(root, 'base64'),
  ]);
  return {
    ed25519: line(SIGNATURE_TYPE.ed25519Cosignature, ed25519, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)),
    mlDsa44: line(SIGNATURE_TYPE.mlDsa44Cosignature, mlDsa44, subtree),
  };
}

/** The checkpoint that a witness has signed of one log. */
export interface WitnessState {
  size: number;
  root: Buffer;
  /** The statuses of its answers. */
  answers: number[];
}

/**
 * A witness as c2sp.org/tlog-witness describes it, of one log.
 * @param log its origin and its public key, base64url
 */
export function witness(
  keys: WitnessKeys,
  log: { origin: string; x: string },
): { behave: Behaviour; state: WitnessState } {
  const state: WitnessState = { size: 0, root: createHash('sha256').digest(), answers: [] };
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: log.x }, format: 'jwk' });
  const judge = (body: string): { status: number; text: string; type?: string } => {
    const [, old = '', hashes = '', text = '', signatures = ''] =
      /^old (0|[1-9]\d*)\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n([^\n]+\n\d+\n[^\n]+\n)\n([^]+)$/.exec(body) ?? [];
    const [origin = '', size = '', root = ''] = text.split('\n');
    if (origin !== log.origin) return { status: text === '' ? 400 : 404, text: '' };
    const bytes = Buffer.from(/^— \S+ (\S+)\n/.exec(signatures)?.[1] ?? '', 'base64').subarray(4);
    if (!verify(null, Buffer.from(text), key, bytes)) return { status: 403, text: '' };
    if (Number(old) > Number(size)) return { status: 400, text: '' };
    if (Number(old) !== state.size) return { status: 409, text: `${state.size}\n`, type: 'text/x.tlog.size' };
    const proof = hashes
      .split('\n')
      .slice(0, -1)
      .map((hash) => Buffer.from(hash, 'base64'));
    const isConsistent =
      state.size === 0 || state.size === Number(size)
        ? proof.length === 0
        : consistencyVerifies({
            first: state.size,
            second: Number(size),
            firstRoot: state.root,
            secondRoot: Buffer.from(root, 'base64'),
            proof,
          });
    if (!isConsistent) return { status: 422, text: '' };
    const isOther = state.size === Number(size) && !state.root.equals(Buffer.from(root, 'base64'));
    if (isOther) return { status: 409, text: '' };
    Object.assign(state, { size: Number(size), root: Buffer.from(root, 'base64') });
    const lines = cosign(text, keys);
    return { status: 200, text: lines.ed25519 + lines.mlDsa44 };
  };
  const behave: Behaviour = (answer, { body, path }) => {
    const {
      status,
      text,
      type = 'text/plain',
    } = path.endsWith('/add-checkpoint') ? judge(body) : { status: 404, text: '' };
    state.answers.push(status);
    answer.writeHead(status, { 'content-type': type }).end(text);
  };
  return { behave, state };
}
