import { step } from '../../../commands/fault-points.ts';
import { describeLives, type LifeDescription } from '../../../commands/life-description.ts';
import type { Context } from '../../../context/context.ts';
import { outcomeOfHandingOver, type Sending } from '../../../outbound/outcomes.ts';
import { callReceiver } from '../../../webhooks/call.ts';
import { signedRequest } from '../../../webhooks/signed-request.ts';
import type { Texter } from '../../texter.ts';
import { destinationSecrets } from '../secrets.ts';
import { verificationSeal } from './code-use.ts';
import {
  advanceVerificationRow,
  describeVerificationRows,
  findWaitingCode,
  settleVerification,
  startVerification,
} from './queries.ts';
import type { VerificationStep } from './schema.ts';
import { codeSms } from './texts.ts';

/** The context of the step that sends. */
interface TexterContext extends Context {
  readonly texter: Texter;
}

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
export async function sendVerification(context: TexterContext, id: string): Promise<void> {
  const { pool, encryption } = context;
  const found = await findWaitingCode(pool, id);
  if (found === null) return;
  const code = encryption.open(found.sealed, verificationSeal(id));
  const send = callOf(context, { id, code, ...found });
  if (!(await startVerification(pool, id))) return;
  step('sendVerification:started');
  const outcome = await send();
  step('sendVerification:sent');
  if ((await settleVerification(pool, id, outcome)) > 0) context.delivery.messagesCommitted();
}

type Found = { id: string; code: string } & NonNullable<Awaited<ReturnType<typeof findWaitingCode>>>;

/** @returns what makes the call; all that can go wrong on our side goes wrong before. */
function callOf(
  { config, encryption, outbound, texter }: TexterContext,
  {
    id,
    code,
    channel_type: channel,
    address,
    destination_id: destinationId,
    expires_at,
    requested_at,
    ...found
  }: Found,
): () => Promise<Sending> {
  if (channel === 'sms') {
    const text = codeSms({ code, seconds: config.verificationCodeSeconds });
    return async () => outcomeOfHandingOver('sms', await texter.send(id, { to: address, text }));
  }
  const body = JSON.stringify({
    event_type: 'destination.verification',
    severity: 'info',
    payload: { code, destination_id: destinationId, expires_at },
    timestamp: requested_at,
  });
  const secrets = destinationSecrets.open(encryption, { id: destinationId, ...found });
  return () =>
    callReceiver(outbound, { url: address, ...signedRequest({ secrets, eventId: id, body, now: new Date() }) });
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
