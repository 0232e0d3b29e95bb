import type { Answered, CommandCall } from '../commands/command.ts';
import { runKeptCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { keptClaim, type KeptClaim } from './kept-claim.ts';
import { presentClaim } from './present-claims.ts';
import { findClaim, markRevoked } from './queries.ts';
import type { Claim, RevokeClaim } from './schema/claim.ts';

/**
 * The issuer revokes a claim: the claim stays as it is, with time and reason beside it. The first revocation stands;
 * repeating it changes nothing.
 * @throws CarnetError NOT_FOUND, NOT_OWNER.
 */
export const revokeClaim = (
  context: Context,
  call: CommandCall,
  { id, reason }: RevokeClaim & { id: string },
): Promise<Answered<Claim>> =>
  runKeptCommand<Claim, KeptClaim>(context, call, {
    kept: keptClaim,
    work: async ({ connection, audit }) => {
      const claim = await findClaim(connection, id);
      assertThat(claim, () => notFound('claim'));
      assertThat(
        claim.issuer === call.caller.operatorId,
        () => new CarnetError('NOT_OWNER', 'Only the issuer of a claim may revoke it.'),
      );
      const revoked = await markRevoked(connection, id, reason ?? null);
      if (revoked !== null) await audit('claim.revoked', id, { ...(reason !== undefined && { reason }) });
      return {
        status: 200,
        body: await presentClaim(connection, revoked ?? (await findClaim(connection, id)) ?? claim),
      };
    },
  });
