import { hash, verify, type KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../../json/strict.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import type { KeyRing } from '../keys/signing-keys.ts';
import { MAX_TOKEN_CHARACTERS, PassportPayloadSchema, type PassportPayload } from '../token.ts';

/** The faults that a token can have by itself; the first that applies, in this order. */
export type TokenFault = 'malformed' | 'unknown_key' | 'bad_signature';

/** The content of a token of ours; `digest` is the SHA-256 of its payload in base64, as the row of the passport has it. */
export interface SignedToken {
  payload: PassportPayload;
  kid: string;
  digest: string;
}

export type TokenVerdict = SignedToken | { reason: TokenFault };

/**
 * Three parts in base64url, without padding. The signature is 64 bytes, 86 characters, and the last has four unused bits, which
 * must be zero. Nothing is decoded of any other text: decoders drop what they do not know, and cut wider characters to a byte,
 * so that a token would have endless texts.
 */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

/**
 * Any other member (`jwk`, `jku`, `x5c`, `crit`, `b64` …) could change how the token is checked, so it is refused (RFC
 * 8725).
 */
const HeaderSchema = z.strictObject({ alg: z.literal('EdDSA'), kid: z.string(), typ: z.literal('JWT') });

/**
 * Whether signatures are checked on threads of libuv, so that other requests go on and several cores verify in parallel. On
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
  { keys, issuer }: { keys: Pick<KeyRing, 'byHeader' | 'counting'>; issuer: string },
): Promise<TokenVerdict> {
  const parts = partsOf(token);
  if (parts === undefined) return MALFORMED;
  const key = keys.byHeader.get(parts.header) ?? findKey(parts.header, keys);
  if (key === 'malformed') return MALFORMED;
  const genuine = key !== 'unknown_key' && (await isSigned({ ...signedBytes(parts), key: key.publicKey }));
  const bytes = Buffer.from(parts.payload, 'base64url');
  const payload = payloadOf(genuine ? parseOwn(bytes) : parseStrictly(parts.payload, bytes));
  if (payload === undefined || payload.iss !== issuer || payload.exp <= payload.iat) return MALFORMED;
  if (key === 'unknown_key') return { reason: 'unknown_key' };
  return genuine ? { payload, kid: key.kid, digest: hash('sha256', bytes, 'base64') } : { reason: 'bad_signature' };
}

interface Parts {
  header: string;
  payload: string;
  signature: string;
  /** The bytes that are signed: header, dot and payload. */
  input: string;
}

/** The three segments; undefined where the text is of any other form. */
function partsOf(token: string): Parts | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS || !TOKEN.test(token)) return undefined;
  const first = token.indexOf('.');
  const last = token.lastIndexOf('.');
  const [header, payload] = [token.slice(0, first), token.slice(first + 1, last)];
  return { header, payload, signature: token.slice(last + 1), input: token.slice(0, last) };
}

const signedBytes = ({ input, signature }: Parts): { input: Buffer; signature: Buffer } => ({
  input: Buffer.from(input, 'latin1'),
  signature: Buffer.from(signature, 'base64url'),
});

/** The key of a header that is not byte for byte the one we write. */
function findKey(header: string, { counting }: Pick<KeyRing, 'counting'>): SigningKey | 'malformed' | 'unknown_key' {
  const parsed = HeaderSchema.safeParse(parseStrictly(header, Buffer.from(header, 'base64url')));
  if (!parsed.success) return 'malformed';
  return counting.get(parsed.data.kid) ?? 'unknown_key';
}

/** Whether this key has signed these bytes; false also for bytes that are no signature. */
export function isSigned({
  input,
  signature,
  key,
}: {
  input: Buffer;
  signature: Buffer;
  key: KeyObject;
}): boolean | Promise<boolean> {
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
function parseOwn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/**
 * Parses a segment that anybody may have written; undefined where it is not canonical base64url, or the JSON breaks the
 * strict rules.
 */
function parseStrictly(segment: string, bytes: Buffer): unknown {
  if (bytes.toString('base64url') !== segment) return undefined;
  try {
    return parseStrictJson(decodeUtf8Strict(bytes));
  } catch (error) {
    if (error instanceof StrictJsonFault) return undefined;
    throw error;
  }
}
