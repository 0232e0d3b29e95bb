import { faultPoint } from '../../../commands/fault-points.ts';
import { describeLives, type LifeDescription } from '../../../commands/life-description.ts';
import type { Context } from '../../../context/context.ts';
import type { SenderContext } from '../../channels/channel.ts';
import { channels } from '../../channels/registry.ts';
import { verificationEncryptionContext } from './code-use.ts';
import {
  advanceVerificationRow,
  describeVerificationRows,
  findWaitingCode,
  settleVerification,
  startVerification,
} from './queries.ts';
import type { VerificationStep } from './schema.ts';

/**
 * One step of the life of a code: deletes the messages that woke it, and gives up what is over. By the row, so it may run any number of
 * times.
 */
export async function advanceVerification({ pool }: Context, id: string): Promise<VerificationStep> {
  const { status, open, wait_ms: waitMs } = await advanceVerificationRow(pool, id);
  return { status, open, waitMs };
}

/**
 * Sends a code by SMS or to a webhook, once: the row says so before the call, and a call whose outcome is lost is not made again. Nothing
 * is done where it was begun before, is not wanted, or eight codes of the operator are being sent.
 */
export async function sendVerification(context: SenderContext, id: string): Promise<void> {
  const { pool, encryption, config } = context;
  const found = await findWaitingCode(pool, id);
  if (found === null) return;
  const { sealed, ...waiting } = found;
  const { code: way } = channels[found.channel_type];
  if (way.by !== 'call') throw new Error(`The code ${id} waits for a call, and its channel sends codes by ${way.by}.`);
  const code = encryption.decrypt(sealed, verificationEncryptionContext(id));
  const send = way.callOf(context, { ...waiting, id, code, seconds: config.verificationCodeSeconds });
  if (!(await startVerification(pool, id))) return;
  faultPoint('sendVerification:started');
  const outcome = await send();
  faultPoint('sendVerification:sent');
  if ((await settleVerification(pool, id, outcome)) > 0) context.delivery.messagesCommitted();
}

/** One query for several ids; ids without a row are left out. With neither address nor code. */
export const describeVerifications = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(
    await describeVerificationRows(pool, ids),
    ({ id, operator_id: operatorId, destination_id: destinationId }) => ({
      operatorIds: [operatorId],
      summary: `Code for ${destinationId}`,
      details: `Code \`${id}\` that verifies \`${destinationId}\` of \`${operatorId}\``,
    }),
  );
