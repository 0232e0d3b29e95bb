import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { ALTERED } from '../altered.ts';
import { lockClaim, type ClaimRow } from '../queries.ts';
import { mayReadInFull } from '../read-claims.ts';
import { digestOfSigned, signedBytesOf } from '../signed-bytes.ts';
import { assertCoSignatureFits, findKey, judgeCoSignature, refusal } from './judge.ts';
import {
  countCoSignatures,
  findCoSignature,
  findVerified,
  insertCoSignatures,
  isChanged,
  markVerified,
} from './queries.ts';
import { MAX_CO_SIGNATURES, type CoSignature, type KeptCoSignature } from '../schema/co-signature.ts';

/** One reader who is not the issuer fills this many of the 64 places of a claim: there are three such readers at most, so that 16 are the issuer's. */
const SHARE_OF_A_READER = 16;

/**
 * Adds a co-signature to a recorded claim. Those who read the claim in full may: they have what is signed. So that no reader fills its 64
 * places for ever, one of an unknown key is for the issuer alone, by no key of an agent, a known key has one place in each role, and a reader who is not the issuer
 * adds 16 at most, no matter which keys their operator names one after the other. One that the claim has already, and another one of
 * the same known key and role, is answered with the one that is there, with 200; one whose key was not known before and is now is verified by
 * that (decision L120).
 * @throws CarnetError VALIDATION_ERROR, NOT_FOUND, NOT_OWNER, INVALID_STATE for the 65th, for the 17th of a reader, and where the payload was
 *   erased, INVALID_CO_SIGNATURE.
 */
export function addCoSignature(
  context: Context,
  call: CommandCall,
  { claimId, coSignature }: { claimId: string; coSignature: CoSignature },
): Promise<Answered<KeptCoSignature>> {
  assertCoSignatureFits(coSignature);
  return runCommand(context, call, async (unit) => {
    const claim = await lockClaim(unit.connection, claimId);
    assertThat(claim, () => notFound('claim'));
    assertThat(
      mayReadInFull(call.caller, claim),
      () => new CarnetError('NOT_OWNER', 'Only those who read a claim in full add co-signatures to it.'),
    );
    const { isNew, kept } = await addTo(context, unit, { claim, call, coSignature, path: 'cose_sign1' });
    return isNew ? { status: 201, body: kept, location: `/v1/claims/${claimId}` } : { status: 200, body: kept };
  });
}

/**
 * Adds those with which a claim is sent that is recorded already, each as if it were added alone, and all or none: what somebody signed
 * is not lost because the claim was there first.
 * @throws CarnetError as `addCoSignature` does
 */
export async function addSentAgain(
  context: Context,
  unit: Unit,
  { claim: { id }, call, coSignatures }: { claim: ClaimRow; call: CommandCall; coSignatures: readonly CoSignature[] },
): Promise<void> {
  const claim = await lockClaim(unit.connection, id);
  assertThat(claim, () => notFound('claim'));
  for (const [at, coSignature] of coSignatures.entries())
    await addTo(context, unit, { claim, call, coSignature, path: `co_signatures.${at}.cose_sign1` });
}

interface Added {
  /** The caller holds it. */
  claim: ClaimRow;
  call: CommandCall;
  coSignature: CoSignature;
  path: string;
}

/** @throws CarnetError INVALID_STATE, INVALID_CO_SIGNATURE */
async function addTo(
  context: Context,
  { connection, audit }: Unit,
  { claim, call, coSignature, path }: Added,
): Promise<{ isNew: boolean; kept: KeptCoSignature }> {
  const { signer_kid: kid, signer_role: role } = coSignature;
  const existing = await findCoSignature(connection, claim, coSignature);
  if (existing !== null && (existing.verified || isChanged(existing))) return { isNew: false, kept: existing };
  const signedBytes = signedBytesOf(claim.envelope);
  if (claim.digest !== digestOfSigned(signedBytes)) {
    if (existing !== null) return { isNew: false, kept: existing };
    throw new CarnetError(
      'INVALID_STATE',
      claim.erased_at === null
        ? `${ALTERED} So nobody can co-sign it.`
        : 'The payload of this claim was erased, so nobody can co-sign it any more.',
    );
  }
  const coSigned = { issuer: claim.issuer, agentId: claim.agent_id, signedBytes };
  if (existing !== null && (await findKey(context, connection, { coSigned, coSignature })) === null)
    return { isNew: false, kept: existing };
  const judged = await judgeCoSignature(context, connection, { coSigned, coSignature, path });
  if (existing !== null) {
    if (judged.publicJwk === null) return { isNew: false, kept: existing };
    await audit('claim.co_signature_verified', claim.id, { signer_kid: kid, signer_role: role });
    return { isNew: false, kept: await markVerified(connection, claim, judged) };
  }
  if (judged.publicJwk === null) {
    // An agent is what evidence is about: its key would fill the places of what its operator states about it (decision L108).
    assertThat(call.caller.operatorId === claim.issuer && call.caller.kind !== 'agent', () =>
      refusal(kid, {
        path,
        fault: 'is of a key that is not known here, and only the issuer of the claim adds those, by no key of an agent',
      }),
    );
  } else {
    const verified = await findVerified(connection, claim, coSignature);
    if (verified !== null) return { isNew: false, kept: verified };
  }
  await assertPlaceFor(connection, call.caller.operatorId, claim);
  await insertCoSignatures(connection, { claimId: claim.id, addedBy: call.caller.operatorId, judged: [judged] });
  await audit('claim.co_signed', claim.id, { signer_kid: kid, signer_role: role });
  const kept = await findCoSignature(connection, claim, coSignature);
  if (kept === null) throw new Error('A co-signature is not there right after it was inserted.');
  return { isNew: true, kept };
}

/** The caller holds the claim. @throws CarnetError INVALID_STATE */
async function assertPlaceFor(connection: CommonQueryMethods, operatorId: string, claim: ClaimRow): Promise<void> {
  const { all, own } = await countCoSignatures(connection, claim.id, operatorId);
  assertThat(
    all < MAX_CO_SIGNATURES,
    () => new CarnetError('INVALID_STATE', `This claim has ${MAX_CO_SIGNATURES} co-signatures, and takes no more.`),
  );
  assertThat(
    operatorId === claim.issuer || own < SHARE_OF_A_READER,
    () =>
      new CarnetError(
        'INVALID_STATE',
        `Your operator has added ${SHARE_OF_A_READER} co-signatures to this claim, its share of ${MAX_CO_SIGNATURES}: the other places are for its issuer and its other readers.`,
      ),
  );
}
