import { lockOperator } from '../../../accounts/index.ts';
import type { Answered, CommandCall } from '../../../commands/command.ts';
import { runCommand } from '../../../commands/run.ts';
import type { Context } from '../../../context/context.ts';
import { assertThat, notFound } from '../../../errors/carnet-error.ts';
import { codeFits, isLive, noLiveCode, wrongCode } from '../../../one-time-codes/codes.ts';
import { channels } from '../../channels/registry.ts';
import { findDestination, lockDestination, markVerified } from '../queries.ts';
import type { Verified } from '../schema.ts';
import { codeOf } from './code-use.ts';
import { countWrongTry, findLastCode, useUpCodes } from './queries.ts';

/**
 * Verifies a destination by the code that was sent to it last. One that is verified stays so, no matter what is sent.
 * @throws CarnetError NOT_FOUND; INVALID_CODE and CODE_EXPIRED with `verified: false`
 */
export const verifyDestination = (
  context: Context,
  call: CommandCall,
  { destinationId, code }: { destinationId: string; code: string },
): Promise<Answered<Verified>> =>
  runCommand<Verified>(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    const isVerified = async (): Promise<boolean> => {
      const seen = await findDestination(connection, { operatorId, destinationId });
      assertThat(seen, () => notFound('destination'));
      return seen.verified_at !== null;
    };
    // Before anything is locked: a caller who guesses on makes nobody wait. A rival who verifies it uses up its code, so a destination that had
    // none is looked at again.
    if (!(await isVerified()) && !isLive(await findLastCode(connection, destinationId)) && !(await isVerified()))
      return { refusal: noLiveCode('destination') };
    await lockOperator(connection, operatorId); // before the destination, as sending a code does: the last step may write it
    const found = await lockDestination(connection, { operatorId, destinationId });
    assertThat(found, () => notFound('destination'));
    if (found.verified_at !== null) return { status: 200, body: { verified: true } };
    const stored = await findLastCode(connection, destinationId);
    if (!isLive(stored)) return { refusal: noLiveCode('destination') };
    if (!codeFits(context.encryption, codeOf(destinationId), { code: code.trim(), mac: stored.code })) {
      await countWrongTry(connection, stored.id);
      return { refusal: wrongCode(stored) };
    }
    await useUpCodes(connection, destinationId);
    await markVerified(connection, destinationId);
    await channels[found.channel_type].proved(connection, operatorId, found.address);
    await unit.audit('destination.verified', destinationId, { channel_type: found.channel_type });
    return { status: 200, body: { verified: true } };
  });
