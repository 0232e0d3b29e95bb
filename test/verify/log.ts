import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * A small log of the tests' own, written from the definitions (RFC 9162 §2.1, RFC 9052, RFC 9942, C2SP) and sharing no code with the
 * service or the verifiers: trees are hashed again from all leaves, from the top down.
 */

const sha256 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
export const leafOf = (entry: Uint8Array): Buffer => sha256(Buffer.of(0), entry);
const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

/** MTH of leaf hashes. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  const at = splitOf(leaves.length);
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, at)), rootOf(leaves.slice(at)));
}

/** PATH(index, leaves). */
export function inclusionOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const at = splitOf(leaves.length);
  return index < at
    ? [...inclusionOf(index, leaves.slice(0, at)), rootOf(leaves.slice(at))]
    : [...inclusionOf(index - at, leaves.slice(at)), rootOf(leaves.slice(0, at))];
}

/** PROOF(older, leaves). */
export function consistencyOf(older: number, leaves: readonly Buffer[], whole = true): Buffer[] {
  if (older === leaves.length) return whole ? [] : [rootOf(leaves)];
  const at = splitOf(leaves.length);
  return older <= at
    ? [...consistencyOf(older, leaves.slice(0, at), whole), rootOf(leaves.slice(at))]
    : [...consistencyOf(older - at, leaves.slice(at), false), rootOf(leaves.slice(0, at))];
}

type Cbor = number | string | null | Buffer | Cbor[] | Map<number, Cbor>;

export function cbor(value: Cbor): Buffer {
  const head = (major: number, argument: number): Buffer => {
    if (argument < 24) return Buffer.of((major << 5) | argument);
    const width = argument < 2 ** 8 ? 1 : argument < 2 ** 16 ? 2 : 4;
    const bytes = Buffer.alloc(1 + width);
    bytes[0] = (major << 5) | (24 + Math.log2(width));
    bytes.writeUIntBE(argument, 1, width);
    return bytes;
  };
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, member]) => [cbor(key), cbor(member)])]);
}

export interface Keys {
  name: string;
  type: number;
  privateKey: KeyObject;
  raw: Buffer;
  vkey: string;
  jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string };
}

/** Types of C2SP signed-note: 1 signs notes, 4 and 6 cosign checkpoints. */
export function newKeys(name: string, type: 1 | 4 | 6 = 1): Keys {
  const { publicKey, privateKey } = type === 6 ? generateKeyPairSync('ml-dsa-44') : generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(type === 6 ? -1312 : -32);
  const typed = Buffer.concat([Buffer.of(type), raw]);
  const id = sha256(Buffer.from(`${name}\n`), typed)
    .subarray(0, 4)
    .toString('hex');
  const x = raw.toString('base64url');
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return {
    name,
    type,
    privateKey,
    raw,
    vkey: `${name}+${id}+${typed.toString('base64')}`,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid },
  };
}

/** A signature line of a note whose text is a checkpoint. `time` is in seconds, for cosignatures. */
export function signatureLine(
  text: string,
  { name, type, privateKey, vkey }: Pick<Keys, 'name' | 'type' | 'privateKey' | 'vkey'>,
  time = 1_795_000_000,
): string {
  const keyId = Buffer.from(vkey.slice(name.length + 1, name.length + 9), 'hex');
  const eight = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    return bytes;
  };
  const [origin = '', size = '', root = ''] = text.split('\n');
  const short = (value: string): Buffer => Buffer.concat([Buffer.of(Buffer.byteLength(value)), Buffer.from(value)]);
  const cosigned = (...parts: Buffer[]): Buffer => Buffer.concat([Buffer.from('subtree/v1\n\0'), ...parts]);
  const messages: Record<number, Buffer> = {
    1: Buffer.from(text),
    4: Buffer.from(`cosignature/v1\ntime ${time}\n${text}`),
    6: cosigned(short(name), eight(time), short(origin), eight(0), eight(Number(size)), Buffer.from(root, 'base64')),
  };
  const signature = sign(null, messages[type] ?? Buffer.alloc(0), privateKey);
  const bytes = [keyId, ...(type === 1 ? [] : [eight(time)]), signature];
  return `— ${name} ${Buffer.concat(bytes).toString('base64')}\n`;
}

export const noteOf = (text: string, ...signers: Keys[]): string =>
  `${text}\n${signers.map((keys) => signatureLine(text, keys)).join('')}`;

interface Sign1 {
  key: KeyObject;
  payload: Buffer;
  protectedHeader: [number, Cbor][];
  unprotected?: [number, Cbor][];
  attached?: boolean;
}

/** COSE_Sign1 bytes; the payload is detached unless said otherwise. */
export function sign1({ key, payload, protectedHeader, unprotected = [], attached = false }: Sign1): Buffer {
  const header = cbor(new Map(protectedHeader));
  const signature = sign(null, cbor(['Signature1', header, Buffer.alloc(0), payload]), key);
  return Buffer.concat([Buffer.of(0xd2), cbor([header, new Map(unprotected), attached ? payload : null, signature])]);
}

export type Members = Record<string, unknown>;

export const signedBytes = ({ receipt: _receipt, co_signatures: _coSignatures, ...signed }: Members): Buffer =>
  Buffer.from(canonicalize(signed) ?? '');

export const plainEnvelope: Members = {
  envelope_version: 1,
  issuer: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCF',
  subject: 'carnet://agent/ag_1',
  issued_at: 1_795_262_400,
  claim_type: 'detector_signal',
  claim_version: 1,
  payload: {
    type: 'detector_signal',
    detector_key: 'prompt_injection',
    severity: 'high',
    pipeline: 'heuristic',
    detected_at: 1_795_262_400,
    metadata: {
      'é€\u{1F600}': [1e21, 0.1, -7, 1e-7, 123_456_789.5, true, null, 'a"\\\n\u0001/'],
      '1': {},
      '\u20ac': [],
    },
  },
  receipt: null,
};

const REGISTRY = 'https://carnet.example';
const digestOf = (envelope: Members): string => `sha256:${sha256(signedBytes(envelope)).toString('hex')}`;

/** A log that signs with `log`, about which every answer of the service can be made. */
export class TestLog {
  readonly keys: Keys;
  readonly leaves: Buffer[];
  constructor(keys: Keys, leaves: Buffer[]) {
    this.keys = keys;
    this.leaves = leaves;
  }

  text(size: number, root = rootOf(this.leaves.slice(0, size))): string {
    return `${this.keys.name}\n${size}\n${root.toString('base64')}\n`;
  }

  checkpoint(size: number, ...witnesses: Keys[]): string {
    return noteOf(this.text(size), this.keys, ...witnesses);
  }

  consistency(from: number, to: number) {
    const [older, newer] = [this.leaves.slice(0, from), this.leaves.slice(0, to)];
    return {
      from,
      to,
      from_root: rootOf(older).toString('hex'),
      to_root: rootOf(newer).toString('hex'),
      hashes: consistencyOf(from, newer).map((hash) => hash.toString('hex')),
    };
  }

  /** @param about what its CWT claims say (RFC 9943): issuer and subject */
  coseReceipt(index: number, size: number, about: [string, string] = [REGISTRY, digestOf(plainEnvelope)]): Buffer {
    const leaves = this.leaves.slice(0, size);
    return sign1({
      key: this.keys.privateKey,
      payload: rootOf(leaves),
      protectedHeader: [
        [1, -8],
        [4, Buffer.from(this.keys.jwk.kid)],
        [
          15,
          new Map([
            [1, about[0]],
            [2, about[1]],
          ]),
        ],
        [395, 1],
      ],
      unprotected: [[396, new Map([[-1, [cbor([size, index, inclusionOf(index, leaves)])]]])]],
    });
  }

  /** The bundle of the envelope at `index`, with a receipt of a tree of `size` in a log that has now `newest` entries. */
  bundle(
    envelope: Members,
    { index, size, newest, witnesses = [] }: { index: number; size: number; newest: number; witnesses?: Keys[] },
  ) {
    const id = 'pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD';
    const [then, now] = [this.leaves.slice(0, size), this.leaves.slice(0, newest)];
    const proof = cbor([size, index, inclusionOf(index, then)]);
    const hex = (hashes: Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));
    const base64 = inclusionOf(index, now).map((hash) => `${hash.toString('base64')}\n`);
    return {
      bundle_version: 1,
      claim_id: id,
      digest: digestOf(envelope),
      envelope,
      co_signatures: [] as Members[],
      receipt: {
        registry: REGISTRY,
        registered_at: 1_795_262_401,
        registry_entry_uri: `${REGISTRY}/v1/claims/${id}`,
        proof: {
          format: 'svc-merkle-v1',
          bytes: proof.toString('base64url'),
          log_index: index,
          tree_size: size,
          root_hash: rootOf(then).toString('hex'),
        },
        witnesses: null,
      },
      cose_receipt: this.coseReceipt(index, size, [REGISTRY, digestOf(envelope)]).toString('base64url'),
      checkpoint: this.checkpoint(size),
      latest: {
        checkpoint: this.checkpoint(newest, ...witnesses),
        consistency: hex(consistencyOf(size, now)),
        inclusion: hex(inclusionOf(index, now)),
      },
      tlog_proof: `c2sp.org/tlog-proof@v1\nindex ${index}\n${base64.join('')}\n${this.checkpoint(newest, ...witnesses)}`,
      revocation: {
        revoked_at: null as string | null,
        reason: null as string | null,
        as_of: '2026-11-22T12:00:00.000Z',
      },
      log: { origin: this.keys.name, vkey: this.keys.vkey, jwk: this.keys.jwk },
    };
  }

  /** A log of `total` entries in which the envelope stands at `index`. */
  static around(
    envelope: Members,
    { index, total, keys = newKeys('carnet.log/log_test') }: { index: number; total: number; keys?: Keys },
  ): TestLog {
    const leaves = Array.from({ length: total }, (_, at) => leafOf(Buffer.from(`entry ${at}`)));
    leaves[index] = leafOf(signedBytes(envelope));
    return new TestLog(keys, leaves);
  }
}
export type TestBundle = ReturnType<TestLog['bundle']>;

/** Returns what `claim` co-signs: the signed bytes, detached, by a key under its kid. */
export function coSignature(envelope: Members, keys: Keys, role = 'operator_attestation'): Members {
  const bytes = sign1({
    key: keys.privateKey,
    payload: signedBytes(envelope),
    protectedHeader: [
      [1, -8],
      [4, Buffer.from(keys.jwk.kid)],
    ],
  });
  return {
    signer_kid: keys.jwk.kid,
    signer_role: role,
    cose_sign1: bytes.toString('base64url'),
    verified: true,
    jwk: keys.jwk,
  };
}
