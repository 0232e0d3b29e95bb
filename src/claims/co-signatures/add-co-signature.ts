import { hash } from 'node:crypto';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lockClaim } from '../queries.ts';
import { mayReadInFull } from '../read-claims.ts';
import { signedBytesOf } from '../signed-bytes.ts';
import { assertCoSignatureFits, judgeCoSignature, MOST_CO_SIGNATURES, refusal } from './judge.ts';
import { countCoSignatures, findCoSignature, findVerified, insertCoSignatures, markVerified } from './queries.ts';
import type { CoSignature, KeptCoSignature } from '../schema/co-signature.ts';

/**
 * Adds a co-signature to a recorded claim. Those who read the claim in full may: they have what is signed. So that no reader fills its 64
 * places for ever, one of an unknown key is for the issuer alone, and a known key has one place in each role. One that the claim has
 * already, and another one of the same known key and role, is answered with the one that is there, with 200; one whose key was not known
 * before and is now is verified by that (decision L91).
 * @throws CarnetError VALIDATION_ERROR, NOT_FOUND, NOT_OWNER, INVALID_STATE for the 65th and where the payload was erased, INVALID_CO_SIGNATURE.
 */
export function addCoSignature(
  context: Context,
  call: CommandCall,
  { claimId, coSignature }: { claimId: string; coSignature: CoSignature },
): Promise<Answered<KeptCoSignature>> {
  assertCoSignatureFits(coSignature);
  return runCommand(context, call, async ({ connection, audit }) => {
    const claim = await lockClaim(connection, claimId);
    assertThat(claim, () => notFound('claim'));
    assertThat(
      mayReadInFull(call.caller, claim),
      () => new CarnetError('NOT_OWNER', 'Only those who read a claim in full add co-signatures to it.'),
    );
    const existing = await findCoSignature(connection, claimId, coSignature);
    if (existing?.verified === true) return { status: 200, body: existing };
    const signedBytes = signedBytesOf(claim.envelope);
    if (claim.digest !== `sha256:${hash('sha256', signedBytes)}`) {
      if (existing !== null) return { status: 200, body: existing };
      throw new CarnetError(
        'INVALID_STATE',
        'The payload of this claim was erased, so nobody can co-sign it any more.',
      );
    }
    const coSigned = { issuer: claim.issuer, agentId: claim.agent_id, signedBytes };
    const path = 'cose_sign1';
    const judged = await judgeCoSignature(context, connection, { coSigned, coSignature, path });
    const { signer_kid: kid, signer_role: role } = coSignature;
    if (existing !== null) {
      if (judged.publicJwk === null) return { status: 200, body: existing };
      await audit('claim.co_signature_verified', claimId, { signer_kid: kid, signer_role: role });
      return { status: 200, body: await markVerified(connection, claimId, judged) };
    }
    if (judged.publicJwk === null) {
      assertThat(call.caller.operatorId === claim.issuer, () =>
        refusal(kid, path, 'is of a key that is not known here, and only the issuer of the claim adds those'),
      );
    } else {
      const verified = await findVerified(connection, claimId, coSignature);
      if (verified !== null) return { status: 200, body: verified };
    }
    assertThat(
      (await countCoSignatures(connection, claimId)) < MOST_CO_SIGNATURES,
      () => new CarnetError('INVALID_STATE', `This claim has ${MOST_CO_SIGNATURES} co-signatures, and takes no more.`),
    );
    await insertCoSignatures(connection, claimId, [judged]);
    await audit('claim.co_signed', claimId, { signer_kid: kid, signer_role: role });
    const kept = await findCoSignature(connection, claimId, coSignature);
    if (kept === null) throw new Error('A co-signature is not there right after it was inserted.');
    return { status: 201, body: kept, location: `/v1/claims/${claimId}` };
  });
}
