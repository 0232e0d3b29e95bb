import { findKeyOfAgents, findKeyOfOperators } from '../../accounts/index.ts';
import type { Context } from '../../context/context.ts';
import { CoseFault, decodeSign1, MAX_SIGN1_BYTES } from '../../cose/sign1.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import { SIGNATURE_TYPE } from '../../fields/verifier-key.ts';
import { canonicalJson } from '../../json/canonical.ts';
import type { JsonObject } from '../../json/value.ts';
import { assertReadable, assertSigned, bytesOf, isThumbprint } from './profile.ts';
import type { JudgedCoSignature } from './queries.ts';
import type { CoSignature } from '../schema/co-signature.ts';

/** A message of 8 KiB in base64, padded. */
const MAX_TEXT = Math.ceil(MAX_SIGN1_BYTES / 3) * 4;

/** Returns the bytes that are co-signed. */
interface CoSigned {
  issuer: string;
  /** The agent that the claim names; null where it names none. */
  agentId: string | null;
  /** The bytes that the claim's digest is of. */
  signedBytes: Buffer;
}

/** @throws CarnetError VALIDATION_ERROR for a message or a kid of more than 8 KiB. */
export function assertCoSignaturesFit(coSignatures: readonly CoSignature[]): void {
  for (const [at, coSignature] of coSignatures.entries()) assertCoSignatureFits(coSignature, `co_signatures.${at}.`);
}

/** @throws CarnetError VALIDATION_ERROR */
export function assertCoSignatureFits({ cose_sign1: message, signer_kid: kid }: CoSignature, path = ''): void {
  const tooLong = (name: string): CarnetError =>
    invalid({ path: `${path}${name}`, code: 'too_big', message: `must have at most ${MAX_SIGN1_BYTES / 1024} KiB` });
  const bytes = bytesOf(message);
  if (message.length > MAX_TEXT || (bytes !== null && bytes.length > MAX_SIGN1_BYTES)) throw tooLong('cose_sign1');
  if (Buffer.byteLength(kid) > MAX_SIGN1_BYTES) throw tooLong('signer_kid');
}

/**
 * Verifies co-signatures by the keys that are known here. One of an unknown key is kept unverified, so that its key may come later; one whose
 * `signer_kid` can name no key is a text that nothing reads.
 * @throws CarnetError INVALID_CO_SIGNATURE for one of a known key that does not verify, one whose key may come later and that breaks the
 *   profile, and one with its payload attached.
 */
export async function judgeCoSignatures(
  context: Pick<Context, 'config'>,
  connection: CommonQueryMethods,
  {
    coSigned,
    coSignatures,
    path,
  }: { coSigned: CoSigned; coSignatures: readonly CoSignature[]; path(at: number): string },
): Promise<JudgedCoSignature[]> {
  const judged: JudgedCoSignature[] = [];
  for (const [at, coSignature] of coSignatures.entries())
    judged.push(await judgeCoSignature(context, connection, { coSigned, coSignature, path: path(at) }));
  return judged;
}

/** The same of one. @throws CarnetError INVALID_CO_SIGNATURE */
export async function judgeCoSignature(
  context: Pick<Context, 'config'>,
  connection: CommonQueryMethods,
  { coSigned, coSignature, path }: { coSigned: CoSigned; coSignature: CoSignature; path: string },
): Promise<JudgedCoSignature> {
  const x = await findKey(context, connection, { coSigned, coSignature });
  if (x === null) {
    assertFitsProfile(coSignature, path);
    const unverified = await whyUnverified(context, connection, { coSigned, coSignature });
    return { ...coSignature, publicJwk: null, unverified };
  }
  assertVerifies(coSignature, { x, payload: coSigned.signedBytes, path });
  return { ...coSignature, publicJwk: { kty: 'OKP', crv: 'Ed25519', x }, unverified: null };
}

type Role = CoSignature['signer_role'];
const ROLES: readonly Role[] = ['operator_attestation', 'agent_self', 'witness'];

/** Why no key is known for the role of a co-signature: one or two sentences, and what mends it. */
async function whyUnverified(
  context: Pick<Context, 'config'>,
  connection: CommonQueryMethods,
  { coSigned, coSignature }: { coSigned: CoSigned; coSignature: CoSignature },
): Promise<string> {
  const { signer_kid: kid, signer_role: role } = coSignature;
  if (!isThumbprint(kid)) return 'signer_kid is not the RFC 7638 thumbprint of a key: 43 characters of base64url.';
  for (const other of ROLES.filter((one) => one !== role)) {
    const x = await findKey(context, connection, { coSigned, coSignature: { ...coSignature, signer_role: other } });
    if (x !== null) return `${unknownTo(role, coSigned)} It is one of the role ${other}; send it with that role.`;
  }
  const remedy = role === 'witness' ? '' : ' Register the key, then send the same co-signature again.';
  return unknownTo(role, coSigned) + remedy;
}

function unknownTo(role: Role, { agentId }: CoSigned): string {
  switch (role) {
    case 'operator_attestation':
      return 'No operator has a key with this thumbprint.';
    case 'agent_self':
      return agentId === null
        ? 'No active agent of the issuer has a key with this thumbprint.'
        : 'The agent that the claim names is not active here with a key of this thumbprint.';
    case 'witness':
      return 'No witness that the platform has configured has a key with this thumbprint.';
  }
}

/** The known key that a co-signature names, in base64url; null where none is known for this role and claim. */
export async function findKey(
  { config }: Pick<Context, 'config'>,
  connection: CommonQueryMethods,
  {
    coSigned: { issuer, agentId },
    coSignature: { signer_kid: kid, signer_role: role },
  }: { coSigned: CoSigned; coSignature: CoSignature },
): Promise<string | null> {
  if (!isThumbprint(kid)) return null;
  switch (role) {
    case 'witness':
      return (
        config.witnessKeys
          .filter(({ type }) => type === SIGNATURE_TYPE.ed25519Cosignature)
          .map(({ raw }) => raw.toString('base64url'))
          .find((x) => thumbprintOf(x) === kid) ?? null
      );
    case 'agent_self':
      // A claim that names an agent is co-signed by that one, and any other by an agent of its issuer.
      return (
        (await findKeyOfAgents(connection, kid, agentId === null ? { operatorId: issuer } : { agentId }))?.x ?? null
      );
    case 'operator_attestation':
      return (await findKeyOfOperators(connection, kid))?.x ?? null;
  }
}

function assertVerifies(
  coSignature: CoSignature,
  { x, payload, path }: { x: string; payload: Buffer; path: string },
): void {
  try {
    assertSigned(coSignature, { x, payload });
  } catch (error) {
    if (!(error instanceof CoseFault)) throw error;
    throw refusal(coSignature.signer_kid, {
      path,
      fault: error.message + hintOf(coSignature, { x, payload }),
      cause: error,
    });
  }
}

/** Signing the whole envelope is the mistake that is made most: what the same key signed is looked for with the members that are left out. */
function hintOf(coSignature: CoSignature, { x, payload }: { x: string; payload: Buffer }): string {
  const signed = JSON.parse(payload.toString()) as JsonObject;
  const wholes = [{ receipt: null }, { receipt: null, co_signatures: [] }, { co_signatures: [] }];
  const isOver = (more: JsonObject): boolean => {
    try {
      assertSigned(coSignature, { x, payload: Buffer.from(canonicalJson({ ...signed, ...more })) });
      return true;
    } catch (error) {
      if (!(error instanceof CoseFault)) throw error;
      return false;
    }
  };
  return wholes.some(isOver) ? ': it is over the envelope with `receipt` or `co_signatures`, which are left out' : '';
}

/** An erasure leaves co-signatures as they are (decision L5), so that none may carry the payload, also where no key can be named. */
function assertFitsProfile(coSignature: CoSignature, path: string): void {
  const { cose_sign1: text, signer_kid: kid } = coSignature;
  if (!isThumbprint(kid)) {
    if (payloadIn(text) !== null)
      throw refusal(kid, { path, fault: 'has its payload attached; it must be detached (nil)' });
    return;
  }
  try {
    assertReadable(coSignature);
  } catch (error) {
    if (!(error instanceof CoseFault)) throw error;
    throw refusal(kid, { path, fault: error.message, cause: error });
  }
}

/** Null: detached, or not to be read. */
function payloadIn(text: string): Uint8Array | null {
  const bytes = bytesOf(text);
  if (bytes === null) return null;
  try {
    return decodeSign1(bytes).payload;
  } catch (error) {
    if (!(error instanceof CoseFault)) throw error;
    return null;
  }
}

/** @param fault the end of a sentence about the co-signature */
export const refusal = (
  kid: string,
  { path, fault, cause }: { path: string; fault: string; cause?: unknown },
): CarnetError =>
  new CarnetError('INVALID_CO_SIGNATURE', `The co-signature of ${kid} ${fault}.`, {
    errors: [{ path, code: 'invalid_co_signature', message: fault }],
    cause,
  });
