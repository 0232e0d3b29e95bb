import type { Answered, CommandCall } from '../commands/command.ts';
import { runKeptCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { keptClaim, type KeptClaim } from './kept-claim.ts';
import { presentClaim } from './present-claims.ts';
import { erasePayload, lockClaim } from './queries.ts';
import type { Claim, EraseClaim } from './schema/claim.ts';

/**
 * The issuer erases the payload of a claim, with all that was read from it. Digest and place in the log stay, so every proof made of it
 * still holds, and a tombstone, itself a claim, records that it is gone. Repeating it changes nothing.
 * It needs a person (decision L5).
 * @throws CarnetError NOT_FOUND, NOT_OWNER, GOVERNANCE_APPROVAL_REQUIRED.
 */
export const eraseClaim = (
  context: Context,
  call: CommandCall,
  { id, reason }: EraseClaim & { id: string },
): Promise<Answered<Claim>> =>
  runKeptCommand<Claim, KeptClaim>(context, call, {
    kept: keptClaim,
    work: async (unit) => {
      const { connection } = unit;
      const claim = await lockClaim(connection, id);
      assertThat(claim, () => notFound('claim'));
      assertThat(
        claim.issuer === call.caller.operatorId,
        () => new CarnetError('NOT_OWNER', 'Only the issuer of a claim may erase its payload.'),
      );
      if (claim.erased_at !== null) return { status: 200, body: await presentClaim(connection, claim) };
      const subject = { id, digest: claim.digest, claim_type: claim.claim_type, subject: claim.envelope.subject };
      const refused = await context.requireApproval(unit, call, { act: 'claim.erased', subject });
      if (refused !== null) return refused;
      const erased = await erasePayload(connection, { id, reason: reason ?? null });
      await unit.audit('claim.erased', id, { tombstone_id: erased.tombstone_id });
      return { status: 200, body: await presentClaim(connection, erased) };
    },
  });
