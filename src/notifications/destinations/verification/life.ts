import { wakeInBatches, type Woken } from '../../../commands/batches.ts';
import { step } from '../../../commands/fault-points.ts';
import type { Context } from '../../../context/context.ts';
import { signedRequest } from '../../signing/signed-request.ts';
import type { Texter } from '../../texter.ts';
import { openSecrets } from '../../signing/secrets.ts';
import { verificationSeal } from './code-use.ts';
import {
  advanceVerificationRow,
  describeVerificationRows,
  findWaitingCode,
  reconcileVerificationRows,
  settleVerification,
  startVerification,
} from './queries.ts';
import type { SendOutcome, VerificationStep } from './schema.ts';
import { codeSms } from './texts.ts';

/** What the step that sends is called with. */
export interface TexterContext extends Context {
  readonly texter: Texter;
}

/** Milliseconds that a receiver has for the whole call. */
const CALL_MS = 10_000;
/** Bytes of a reply that are read: only its status counts. */
const REPLY_BYTES = 65_536;

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
 * is done where it was begun before or is not wanted.
 */
export async function sendVerification(context: TexterContext, id: string): Promise<void> {
  const { pool, encryption } = context;
  const found = await findWaitingCode(pool, id);
  if (found === null) return;
  const code = encryption.open(found.sealed, verificationSeal(id));
  const send =
    found.channel_type === 'sms'
      ? toNumber(context, { id, code, ...found })
      : toWebhook(context, { id, code, ...found });
  if (!(await startVerification(pool, id))) return;
  step('sendVerification:started');
  const outcome = await send();
  step('sendVerification:sent');
  await settleVerification(pool, id, outcome);
}

type Found = { id: string; code: string } & NonNullable<Awaited<ReturnType<typeof findWaitingCode>>>;

/** @returns what makes the call; all that can go wrong on our side goes wrong before. */
function toNumber({ config, texter }: TexterContext, { id, code, address }: Found): () => Promise<SendOutcome> {
  const text = codeSms({ code, seconds: config.verificationCodeSeconds });
  return async () => {
    const outcome = await texter.send(id, { to: address, text });
    if (outcome === 'sent') return { status: 'sent', reason: null, error: null };
    if (outcome === 'not_taken')
      return {
        status: 'failed',
        reason: 'not_taken',
        error: 'The provider of SMS could not be reached, or did not take it.',
      };
    return outcome === 'refused'
      ? {
          status: 'failed',
          reason: 'refused',
          error: 'The provider of SMS did not take it: look whether the number is right.',
        }
      : { status: 'unknown', reason: 'no_answer', error: 'The provider of SMS gave no answer.' };
  };
}

function toWebhook(
  { encryption, outbound }: Context,
  { id, code, address: url, destination_id: destinationId, expires_at, requested_at, ...found }: Found,
): () => Promise<SendOutcome> {
  const body = JSON.stringify({
    event_type: 'destination.verification',
    severity: 'info',
    payload: { code, destination_id: destinationId, expires_at },
    timestamp: requested_at,
  });
  const secrets = openSecrets(encryption, { id: destinationId, ...found });
  return async () => {
    const { headers } = signedRequest({ secrets, eventId: id, body, now: new Date() });
    const answer = await outbound.send({ url, headers, body, timeoutMs: CALL_MS, maxReplyBytes: REPLY_BYTES });
    if (answer.outcome === 'refused') return { status: 'failed', reason: 'address_refused', error: answer.sentence };
    if (answer.outcome === 'not_sent') return { status: 'failed', reason: answer.cause, error: answer.sentence };
    if (answer.outcome === 'unknown') return { status: 'unknown', reason: answer.cause, error: answer.sentence };
    return answer.status >= 200 && answer.status < 300
      ? { status: 'sent', reason: null, error: null }
      : { status: 'failed', reason: 'http_status', error: `The receiver answered ${answer.status}.` };
  };
}

/** What a person sees of the life of a code in the Temporal UI: neither address nor code. */
interface VerificationDescription {
  operatorIds: string[];
  agentId: null;
  skillId: null;
  summary: string;
  details: string;
}

/** One query for several ids; ids without a row are left out. */
export async function describeVerifications(
  { pool }: Context,
  ids: string[],
): Promise<Map<string, VerificationDescription>> {
  const rows = await describeVerificationRows(pool, ids);
  return new Map(
    rows.map(({ id, operator_id: operatorId, destination_id: destinationId }) => [
      id,
      {
        operatorIds: [operatorId],
        agentId: null,
        skillId: null,
        summary: `Code for ${destinationId}`,
        details: `Code \`${id}\` that verifies \`${destinationId}\` of \`${operatorId}\``,
      },
    ]),
  );
}

/** Wakes the lives of codes that no life seems to hold, and forgets old codes and secrets; at most 1,000 with each hundred looked at. */
export const reconcileVerifications = ({ pool, delivery }: Context): Promise<Woken> =>
  wakeInBatches(delivery, () => reconcileVerificationRows(pool));
