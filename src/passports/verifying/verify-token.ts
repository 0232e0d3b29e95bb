import { verify, type KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../../json/strict.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import type { KeyRing } from '../keys/signing-keys.ts';
import { LARGEST_TOKEN, PassportPayloadSchema, type PassportPayload } from '../token.ts';

/** What can be wrong with a token by itself, the first that applies (decisions A17). */
export type TokenFault = 'malformed' | 'unknown_key' | 'bad_signature';

export type TokenVerdict = { payload: PassportPayload; kid: string } | { reason: TokenFault };

/** 64 bytes in base64url: 86 characters, of which the last has four bits to spare, which must be zero. */
const SIGNATURE = /^[\w-]{85}[AQgw]$/;

/**
 * Any other member (`jwk`, `jku`, `x5c`, `crit`, `b64` …) could ask for something: refused, never obeyed (RFC 8725).
 */
const HeaderSchema = z.strictObject({ alg: z.literal('EdDSA'), kid: z.string(), typ: z.literal('JWT') });

/**
 * Whether signatures are checked on threads of libuv: other requests go on meanwhile, and several cores verify at
 * once. On a single core nothing does, and handing the work over costs a tenth of it.
 */
const OTHER_CORES = availableParallelism() > 1;

const MALFORMED = { reason: 'malformed' } as const;

/**
 * A token against our own keys alone: form, key, signature; neither time nor revocation (Market §6). Nothing is
 * fetched, and nothing in the token chooses how it is checked. The signature is checked before the payload is read:
 * only where it is not ours must a strict reading tell what is malformed, so a good token pays for little else.
 * @param issuer the one `iss` that is ours
 */
export async function verifyToken(
  token: string,
  keys: Pick<KeyRing, 'byHeader' | 'counting'>,
  issuer: string,
): Promise<TokenVerdict> {
  const parts = partsOf(token);
  if (parts === undefined) return MALFORMED;
  const key = keys.byHeader.get(parts.header) ?? otherwiseNamed(parts.header, keys);
  if (key === 'malformed') return MALFORMED;
  const genuine = key !== 'unknown_key' && (await isSigned(...signedBytes(parts), key.publicKey));
  const payload = payloadOf(genuine ? asWritten(parts.payload) : readStrictly(parts.payload));
  if (payload === undefined || payload.iss !== issuer || payload.exp <= payload.iat) return MALFORMED;
  if (key === 'unknown_key') return { reason: 'unknown_key' };
  return genuine ? { payload, kid: key.kid } : { reason: 'bad_signature' };
}

interface Parts {
  header: string;
  payload: string;
  signature: string;
  /** What is signed: header, dot and payload. */
  input: string;
}

/**
 * The three segments, of which a dot more is a fault of the second; undefined where there are fewer, or the last
 * cannot be a signature.
 */
function partsOf(token: string): Parts | undefined {
  if (token.length > LARGEST_TOKEN) return undefined;
  const first = token.indexOf('.');
  const last = token.lastIndexOf('.');
  if (first === last) return undefined;
  const signature = token.slice(last + 1);
  if (!SIGNATURE.test(signature)) return undefined;
  const [header, payload] = [token.slice(0, first), token.slice(first + 1, last)];
  return { header, payload, signature, input: token.slice(0, last) };
}

const signedBytes = ({ input, signature }: Parts): [Buffer, Buffer] => [
  Buffer.from(input, 'latin1'),
  Buffer.from(signature, 'base64url'),
];

/** A header that is not, to the byte, that of one of our keys. */
function otherwiseNamed(
  header: string,
  { counting }: Pick<KeyRing, 'counting'>,
): SigningKey | 'malformed' | 'unknown_key' {
  const parsed = HeaderSchema.safeParse(readStrictly(header));
  if (!parsed.success) return 'malformed';
  return counting.get(parsed.data.kid) ?? 'unknown_key';
}

/** Whether this key has signed these bytes (RFC 8032 §5.1.7); false for whatever is no signature at all. */
export function isSigned(input: Buffer, signature: Buffer, key: KeyObject): boolean | Promise<boolean> {
  if (!OTHER_CORES) return verify(null, input, key, signature);
  return new Promise((resolve, reject) => {
    verify(null, input, key, signature, (error, genuine) => (error === null ? resolve(genuine) : reject(error)));
  });
}

/** What the JSON of a payload says; undefined where it is not a passport's. */
function payloadOf(json: unknown): PassportPayload | undefined {
  const parsed = PassportPayloadSchema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}

/** The JSON of a segment that we have signed: to the character it is what we wrote. */
function asWritten(segment: string): unknown {
  try {
    return JSON.parse(Buffer.from(segment, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/**
 * The JSON of anybody's segment; undefined where its base64url is not the one way to write those bytes, or the JSON
 * is not sound.
 */
function readStrictly(segment: string): unknown {
  const bytes = Buffer.from(segment, 'base64url');
  if (bytes.toString('base64url') !== segment) return undefined;
  try {
    return parseStrictJson(decodeUtf8Strict(bytes));
  } catch (error) {
    if (error instanceof StrictJsonFault) return undefined;
    throw error;
  }
}
