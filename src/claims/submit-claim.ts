import { withTopUpUrl } from '../billing/index.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runKeptCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { canonicalJson } from '../json/canonical.ts';
import { assertThat, CarnetError } from '../errors/carnet-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { newId } from '../ids/ids.ts';
import { addSentAgain } from './co-signatures/add-co-signature.ts';
import { assertCoSignaturesFit, judgeCoSignatures } from './co-signatures/judge.ts';
import { insertCoSignatures } from './co-signatures/queries.ts';
import { judgeExternalReceipt } from './external-receipt.ts';
import { hashOfLeaf } from './log/merkle.ts';
import { digestOfSigned, signedBytesOf } from './signed-bytes.ts';
import { keptClaim, type KeptClaim } from './kept-claim.ts';
import { assertPayloadFits } from './payload-size.ts';
import { endOf, refsOf } from './named.ts';
import { presentClaim, presentNewClaim } from './present-claims.ts';
import { getClaimByDigest, recordClaim, refuseFullStorage, type SubmittedClaim } from './queries.ts';
import type { Claim } from './schema/claim.ts';
import type { Envelope } from './schema/envelope.ts';
import { isShaped } from './schema/payloads.ts';
import { assertMaySubmit, assertRefersToOwn, submitterOf } from './submitter.ts';

/**
 * Records a claim of the caller's operator exactly as it was sent: what is hashed, and may be signed by others, is never
 * changed (decision L5). A claim that is recorded already is answered with 200, and co-signatures that came along are added to it.
 * @param envelope the body as its schema parsed it, defaults filled in
 * @throws CarnetError VALIDATION_ERROR for a payload that is too large, and a receipt that does not verify; ISSUER_MISMATCH; AGENT_CLAIM_FORBIDDEN; INVALID_CO_SIGNATURE; INVALID_STATE
 *   for co-signatures that a recorded claim has no place for; TIER_LIMIT_EXCEEDED for storage that is full; INSUFFICIENT_CREDITS over the allowance.
 */
export async function submitClaim(context: Context, call: CommandCall, envelope: Envelope): Promise<Answered<Claim>> {
  const sent = call.request?.body;
  if (!isJsonObject(sent)) throw new TypeError('A claim is submitted by a request whose body is its envelope.');
  assertPayloadFits(envelope, sent.payload);
  assertCoSignaturesFit(envelope.co_signatures);
  assertThat(
    envelope.issuer === call.caller.operatorId,
    () =>
      new CarnetError(
        'ISSUER_MISMATCH',
        `You submit claims as ${call.caller.operatorId}; the issuer of this one is ${envelope.issuer}.`,
      ),
  );
  assertMaySubmit(call.caller, envelope);
  const signed = signedBytesOf(sent);
  const leafHash = hashOfLeaf(signed);
  const receiptVerified = judgeExternalReceipt(context, { receipt: envelope.receipt, leafHash });
  const claim = { ...claimOf(sent, envelope), signed, receiptVerified, submitter: submitterOf(call.caller) };
  const digest = digestOfSigned(signed);
  return runKeptCommand<Claim, KeptClaim>(context, call, {
    kept: keptClaim,
    work: async (unit) => {
      const { connection, audit } = unit;
      await assertRefersToOwn(connection, call.caller, envelope);
      const inserted = await recordClaim(connection, claim);
      if (inserted === null) {
        const recorded = await getClaimByDigest(connection, digest);
        const { co_signatures: coSignatures } = envelope;
        if (coSignatures.length > 0) await addSentAgain(context, unit, { claim: recorded, call, coSignatures });
        return { status: 200, body: await presentClaim(connection, recorded) };
      }
      await refuseFullStorage(connection, envelope.issuer);
      const isCoSigned = envelope.co_signatures.length > 0;
      if (isCoSigned) {
        const judged = await judgeCoSignatures(context, connection, {
          coSigned: { issuer: envelope.issuer, agentId: claim.agentId, signedBytes: signed },
          coSignatures: envelope.co_signatures,
          path: (at) => `co_signatures.${at}.cose_sign1`,
        });
        await insertCoSignatures(connection, { claimId: claim.id, addedBy: envelope.issuer, judged });
      }
      await audit('claim.submitted', claim.id, { claim_type: envelope.claim_type, digest });
      return {
        status: 201,
        body: await presentNewClaim(connection, inserted, { isCoSigned }),
        location: `/v1/claims/${claim.id}`,
      };
    },
  }).catch((error: unknown) => {
    throw withTopUpUrl(context.config, error);
  });
}

function claimOf(
  sent: JsonObject,
  envelope: Envelope,
): Omit<SubmittedClaim, 'signed' | 'receiptVerified' | 'submitter'> {
  const { payload } = sent;
  return {
    id: newId('pc'),
    envelope: JSON.stringify(sent),
    payloadEffective: effectivePayload(payload, envelope.payload as JsonValue | undefined),
    agentId: filterable(payload, 'agent_id'),
    missionRef: filterable(payload, 'mission_ref'),
    ends: indexed(endOf(envelope.claim_type, payload)),
    refs: isShaped(envelope.claim_type) ? refsOf(payload).filter((ref) => indexed(ref) !== null) : [],
  };
}

/** The payload with its defaults; null where no default was filled in. */
function effectivePayload(payload: JsonValue | undefined, parsed: JsonValue | undefined): string | null {
  if (payload === undefined || parsed === undefined) return null;
  const text = canonicalJson(parsed);
  return text === canonicalJson(payload) ? null : text;
}

/** An index entry of Postgres has 2,704 bytes at most; ids of this service have about 30. */
const MAX_INDEXED_BYTES = 2_000;

const indexed = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && Buffer.byteLength(value) <= MAX_INDEXED_BYTES ? value : null;

/** A member by which lists are filtered; null where it is missing or too long for an index. */
const filterable = (payload: JsonValue | undefined, name: 'agent_id' | 'mission_ref'): string | null =>
  isJsonObject(payload) ? indexed(payload[name]) : null;
