import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { PaymentSettings } from '../../../context/config.ts';
import type { Context } from '../../../context/context.ts';
import { sql } from '../../../database/pool.ts';

const Nothing = z.object({});
const WebhookRow = z.object({ id: z.string(), body: z.string() });

/**
 * Pauses before the second and the third try. There are no more tries: a life that waits for the payment checks it by
 * itself later.
 */
const PAUSES_MS = [200, 1_000];
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * `t=<seconds>,v1=<hex of HMAC-SHA256 over "<seconds>.<body>">`, as Stripe signs. Not made by Stripe's SDK, so that
 * what the SDK verifies is independent of it.
 */
function signatureOf(body: string, { secret, at }: { secret: string; at: Date }): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/**
 * Sends events to the payment webhook of this process, in order. Returns after the first try of each; an event that was
 * not accepted is sent again later, and the caller does not wait for that.
 */
export async function deliverEvents(
  context: Context,
  settings: PaymentSettings,
  ids: readonly string[],
): Promise<void> {
  const left: string[] = [];
  for (const id of ids) if (!(await deliver(context, settings, id))) left.push(id);
  if (left.length > 0) void deliverLater(context, settings, left);
}

async function deliverLater(context: Context, settings: PaymentSettings, ids: readonly string[]): Promise<void> {
  let left = [...ids];
  try {
    for (const ms of PAUSES_MS) {
      await pause(ms, undefined, { ref: false });
      const failed: string[] = [];
      for (const id of left) if (!(await deliver(context, settings, id))) failed.push(id);
      left = failed;
    }
    if (left.length > 0)
      context.log.warn({ events: left }, 'the payment webhook did not accept events of the local provider');
  } catch (error) {
    context.log.warn(
      { err: error },
      'the local provider cannot send its events; lives that wait for a payment will check it by themselves',
    );
  }
}

async function deliver(
  { pool, config, log }: Context,
  { webhookSecrets: [secret] }: PaymentSettings,
  id: string,
): Promise<boolean> {
  const { body } = await pool.one(sql.type(WebhookRow)`
    update local_webhooks set tries = tries + 1 where id = ${id} returning id, body`);
  try {
    // The process that serves the page also serves the webhook; PUBLIC_BASE_URL may be an address that only others can
    // reach.
    const { ok, status } = await fetch(`http://127.0.0.1:${config.port}/v1/billing/webhooks/stripe`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'stripe-signature': signatureOf(body, { secret, at: new Date() }),
      },
      body,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (!ok) log.debug({ event: id, status }, 'the payment webhook did not accept an event');
    if (ok) await pool.query(sql.type(Nothing)`update local_webhooks set delivered_at = now() where id = ${id}`);
    return ok;
  } catch (error) {
    log.debug({ event: id, err: error }, 'the payment webhook cannot be reached');
    return false;
  }
}
