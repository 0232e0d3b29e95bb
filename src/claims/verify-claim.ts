import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { parseOrRefuse } from '../errors/faults.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { assertCoSignatureFits, judgeCoSignature } from './co-signatures/judge.ts';
import { coSignaturesOf } from './co-signatures/queries.ts';
import { judgeExternalReceipt } from './external-receipt.ts';
import { judgeOwnReceipt, type ReceiptVerdict } from './own-receipt.ts';
import { openedLogOf } from './log/log-key.ts';
import { hashOfLeaf } from './log/merkle.ts';
import { isProven } from './log/proven.ts';
import { receiptOf, statesWhatWasSigned, type LoggedClaim, type Receipt } from './log/receipts.ts';
import { assertPayloadFits } from './payload-size.ts';
import { findClaim, findClaimByDigest, type ClaimRow } from './queries.ts';
import { mayReadInFull } from './read-claims.ts';
import type { Verification, VerifyClaim } from './schema/claim.ts';
import type { CoSignature } from './schema/co-signature.ts';
import { EnvelopeSchema, type Envelope } from './schema/envelope.ts';
import { digestOfSigned, signedBytesOf } from './signed-bytes.ts';

type Fault = Verification['errors'][number];

/**
 * Whether a claim is what it is said to be: its shape, its digest, its receipt, its place in the log, and that nobody revoked it. What holds of
 * its co-signatures stands beside that, and decides nothing (decision L120). An invalid claim is an answer and no refusal.
 */
export async function verifyClaim(context: Context, caller: Caller, body: VerifyClaim): Promise<Verification> {
  return body.claim_id === undefined
    ? verifyEnvelope(context, body.envelope as JsonValue)
    : verifyRecorded(context, caller, body.claim_id);
}

/** A claim as somebody holds it: everything is computed from what they sent. */
async function verifyEnvelope(context: Context, sent: JsonValue): Promise<Verification> {
  const { envelope, faults } = parsed(sent);
  if (!isJsonObject(sent)) return unknownClaim(null, faults);
  const signed = signedBytesOf(sent);
  const digest = digestOfSigned(signed);
  const row = await findClaimByDigest(context.pool, digest);
  if (row === null) return unknownClaim(digest, faults, { schema: faults.length === 0 });
  const presented = envelope?.receipt ?? null;
  const proof = await proofOf(context, row, { leaf: hashOfLeaf(signed), presented });
  const coSignatures = envelope === null ? [] : await judgePresented(context, { row, envelope, signedBytes: signed });
  return verification(row, {
    schema: faults.length === 0,
    digest: true,
    ...proof.checks,
    coSignatures,
    faults: [...faults, ...proof.faults],
  });
}

/** The claim that is recorded here under an id; of an erased one what its place in the log still shows. */
async function verifyRecorded(context: Context, caller: Caller, id: string): Promise<Verification> {
  const row = await findClaim(context.pool, id);
  if (row === null) return unknownClaim(null, []);
  const kept = (mayReadInFull(caller, row) ? (await coSignaturesOf(context.pool, [row])).get(id) : undefined) ?? [];
  const coSignatures = kept.map((coSignature) => signer(coSignature, coSignature.verified, coSignature.warnings));
  if (row.erased_at !== null) {
    const proof = await proofOf(context, row, { leaf: null, presented: null });
    const { checks, faults } = proof;
    return verification(row, { isErased: true, schema: null, digest: null, ...checks, coSignatures, faults });
  }
  const { faults } = parsed(row.envelope);
  const signed = signedBytesOf(row.envelope);
  const digest = digestOfSigned(signed) === row.digest;
  if (!digest) faults.push(fault('DIGEST_MISMATCH', 'The envelope that is recorded here does not have its digest.'));
  const proof = await proofOf(context, row, { leaf: hashOfLeaf(signed), presented: null });
  return verification(row, {
    schema: faults.every(({ code }) => code !== 'INVALID_SCHEMA'),
    digest,
    ...proof.checks,
    coSignatures,
    faults: [...faults, ...proof.faults],
  });
}

const fault = (code: Fault['code'], message: string, path: string | null = null): Fault => ({ code, path, message });

/** Submitting it would say this of its shape, too. */
function parsed(sent: JsonValue): { envelope: Envelope | null; faults: Fault[] } {
  try {
    const envelope = parseOrRefuse(EnvelopeSchema, sent);
    if (isJsonObject(sent)) assertPayloadFits(envelope, sent.payload);
    return { envelope, faults: [] };
  } catch (error) {
    if (!(error instanceof CarnetError)) throw error;
    const faults = (error.errors ?? []).map(({ path, message }) =>
      fault('INVALID_SCHEMA', message, path === 'body' ? 'envelope' : `envelope.${path}`),
    );
    return { envelope: null, faults };
  }
}

interface Proof {
  checks: { receipt: boolean | null; inclusion: boolean | null };
  faults: Fault[];
}

/**
 * The part of a claim that the log shows.
 * @param leaf the hash of the leaf that its signed bytes make; null: of an erased claim the one that stands in the log
 * @param presented the receipt that came with it; null: that of the log is looked at
 */
async function proofOf(
  context: Context,
  { id }: ClaimRow,
  { leaf, presented }: { leaf: Buffer | null; presented: Receipt | null },
): Promise<Proof> {
  const logged = await receiptOf(context.pool, id);
  if (logged === null) {
    const waiting = 'The claim is recorded and waits for its place in the log; look again in a second.';
    return { checks: { receipt: null, inclusion: null }, faults: [fault('NOT_LOGGED', waiting)] };
  }
  const log = await openedLogOf(context);
  const leafHash = leaf ?? logged.inclusion.leafHash;
  const inclusion = isProven(log, logged, leafHash);
  const faults: Fault[] = [];
  if (!inclusion) faults.push(fault('NOT_INCLUDED', 'The log has another claim at the place of this one.'));
  if (logged.batch.registration === null) {
    const unsigned =
      'The log has not signed yet when and where the batch of the claim was registered; look again later.';
    return { checks: { receipt: null, inclusion }, faults: [...faults, fault('NOT_LOGGED', unsigned)] };
  }
  const verdict = statesWhatWasSigned(log, logged.batch, logged.inclusion.rootHash)
    ? await judgeReceipt(context, { receipt: presented ?? logged.receipt, logged, leafHash })
    : { fault: 'What this log says of its registry or its time is not what the log signed.' };
  if (typeof verdict === 'object') {
    faults.push(fault('INVALID_RECEIPT', verdict.fault, presented === null ? null : 'envelope.receipt'));
  }
  return { checks: { receipt: verdict === 'unknown' ? null : verdict === 'genuine', inclusion }, faults };
}

/** A receipt of this log, or of a registry whose key is configured. */
async function judgeReceipt(
  context: Context,
  judged: { receipt: Receipt; logged: LoggedClaim; leafHash: Buffer },
): Promise<ReceiptVerdict> {
  const verdict = await judgeOwnReceipt(context, judged);
  if (verdict !== 'unknown') return verdict;
  try {
    return judgeExternalReceipt(context, judged) === true ? 'genuine' : 'unknown';
  } catch (error) {
    if (!(error instanceof CarnetError)) throw error;
    return { fault: error.message };
  }
}

type CoSigners = Verification['checks']['co_signatures'];

const signer = (
  { signer_kid, signer_role }: CoSignature,
  verified: boolean,
  warnings: readonly string[],
): CoSigners[number] => ({ signer_kid, signer_role, verified, warnings: [...warnings] });

/** Those that came with an envelope, each by the keys that are known here now. */
async function judgePresented(
  context: Context,
  { row, envelope, signedBytes }: { row: ClaimRow; envelope: Envelope; signedBytes: Buffer },
): Promise<CoSigners> {
  const { issuer, payload } = envelope;
  const named = z.object({ agent_id: z.string() }).safeParse(payload).data?.agent_id ?? null;
  // The row alone says which agent a claim of the service is about; the payload that is presented says it of an erased one.
  const coSigned = { issuer, agentId: row.agent_id ?? named, signedBytes };
  const coSignatures: CoSigners = [];
  for (const [at, coSignature] of envelope.co_signatures.entries()) {
    const path = `envelope.co_signatures.${at}.cose_sign1`;
    try {
      assertCoSignatureFits(coSignature, `envelope.co_signatures.${at}.`);
      const { publicJwk, unverified } = await judgeCoSignature(context, context.pool, { coSigned, coSignature, path });
      coSignatures.push(signer(coSignature, publicJwk !== null, unverified === null ? [] : [unverified]));
    } catch (error) {
      if (!(error instanceof CarnetError && ['INVALID_CO_SIGNATURE', 'VALIDATION_ERROR'].includes(error.code)))
        throw error;
      coSignatures.push(signer(coSignature, false, [error.message]));
    }
  }
  return coSignatures;
}

interface Checked {
  /** Nobody showed the payload, which is gone here. */
  isErased?: boolean;
  schema: boolean | null;
  digest: boolean | null;
  receipt: boolean | null;
  inclusion: boolean | null;
  coSignatures: Verification['checks']['co_signatures'];
  faults: Fault[];
}

function verification(row: ClaimRow, { isErased = false, coSignatures, faults, ...checks }: Checked): Verification {
  const isRevoked = row.revoked_at !== null;
  const errors = [...faults, ...(isRevoked ? [fault('REVOKED', `Its issuer revoked it at ${row.revoked_at}.`)] : [])];
  const status = errors.length > 0 ? 'invalid' : isErased ? 'erased' : 'valid';
  return {
    status,
    valid: status === 'valid',
    claim_id: row.id,
    digest: row.digest,
    checks: { ...checks, co_signatures: coSignatures, revocation: !isRevoked },
    erased_at: row.erased_at,
    errors,
  };
}

/** There is nothing more to check than the shape of what is recorded nowhere. */
const unknownClaim = (digest: string | null, faults: Fault[], checks: { schema?: boolean } = {}): Verification => ({
  status: 'invalid',
  valid: false,
  claim_id: null,
  digest,
  checks: {
    schema: faults.length > 0 ? false : (checks.schema ?? null),
    digest: digest === null ? null : false,
    receipt: null,
    inclusion: null,
    co_signatures: [],
    revocation: null,
  },
  erased_at: null,
  errors: [...faults, fault('NOT_LOGGED', 'No claim with these signed bytes is recorded here.')],
});
