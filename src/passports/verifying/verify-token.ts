import { verify, type KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../../json/strict.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import type { KeyRing } from '../keys/signing-keys.ts';
import { MAX_TOKEN_CHARACTERS, PassportPayloadSchema, type PassportPayload } from '../token.ts';

/** What can be wrong with a token by itself; the first that applies, in this order. */
export type TokenFault = 'malformed' | 'unknown_key' | 'bad_signature';

export type TokenVerdict = { payload: PassportPayload; kid: string } | { reason: TokenFault };

/** 64 bytes in base64url: 86 characters; the last has four unused bits, which must be zero. */
const SIGNATURE = /^[\w-]{85}[AQgw]$/;

/**
 * Any other member (`jwk`, `jku`, `x5c`, `crit`, `b64` …) could change how the token is checked, so it is refused (RFC
 * 8725).
 */
const HeaderSchema = z.strictObject({ alg: z.literal('EdDSA'), kid: z.string(), typ: z.literal('JWT') });

/**
 * Whether signatures are checked on threads of libuv, so that other requests go on and several cores verify at once. On
 * a single core neither is gained, and passing the work to a thread costs a tenth of it.
 */
const OTHER_CORES = availableParallelism() > 1;

const MALFORMED = { reason: 'malformed' } as const;

/**
 * Checks a token with our own keys only: form, key, signature; neither time nor revocation. Nothing is fetched, and
 * nothing in the token decides how it is checked. The signature is checked before the payload is parsed: only a token
 * that we did not sign must be parsed strictly, to tell `malformed` from `bad_signature`, so a good token costs little
 * else.
 * @param issuer the one `iss` that is ours
 */
export async function verifyToken(
  token: string,
  keys: Pick<KeyRing, 'byHeader' | 'counting'>,
  issuer: string,
): Promise<TokenVerdict> {
  const parts = partsOf(token);
  if (parts === undefined) return MALFORMED;
  const key = keys.byHeader.get(parts.header) ?? findKey(parts.header, keys);
  if (key === 'malformed') return MALFORMED;
  const genuine = key !== 'unknown_key' && (await isSigned(...signedBytes(parts), key.publicKey));
  const payload = payloadOf(genuine ? parseOwn(parts.payload) : parseStrictly(parts.payload));
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
 * The three segments; a further dot is left in the second, which makes it malformed. Undefined where there are fewer,
 * or the last cannot be a signature.
 */
function partsOf(token: string): Parts | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
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

/** The key of a header that is not byte for byte the one we write. */
function findKey(header: string, { counting }: Pick<KeyRing, 'counting'>): SigningKey | 'malformed' | 'unknown_key' {
  const parsed = HeaderSchema.safeParse(parseStrictly(header));
  if (!parsed.success) return 'malformed';
  return counting.get(parsed.data.kid) ?? 'unknown_key';
}

/** Whether this key has signed these bytes; false also for bytes that are no signature. */
export function isSigned(input: Buffer, signature: Buffer, key: KeyObject): boolean | Promise<boolean> {
  if (!OTHER_CORES) return verify(null, input, key, signature);
  return new Promise((resolve, reject) => {
    verify(null, input, key, signature, (error, genuine) => (error === null ? resolve(genuine) : reject(error)));
  });
}

/** The payload of a passport; undefined where the JSON is not one. */
function payloadOf(json: unknown): PassportPayload | undefined {
  const parsed = PassportPayloadSchema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}

/** Parses a segment that we have signed: it is what we wrote, so it needs no strict checks. */
function parseOwn(segment: string): unknown {
  try {
    return JSON.parse(Buffer.from(segment, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/**
 * Parses a segment that anybody may have written; undefined where it is not canonical base64url, or the JSON breaks the
 * strict rules.
 */
function parseStrictly(segment: string): unknown {
  const bytes = Buffer.from(segment, 'base64url');
  if (bytes.toString('base64url') !== segment) return undefined;
  try {
    return parseStrictJson(decodeUtf8Strict(bytes));
  } catch (error) {
    if (error instanceof StrictJsonFault) return undefined;
    throw error;
  }
}
