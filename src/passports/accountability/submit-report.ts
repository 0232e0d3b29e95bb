import { z } from 'zod';
import { agentPart } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runHotCommand } from '../../commands/hot.ts';
import type { Context } from '../../context/context.ts';
import { textArray } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';
import { newId } from '../../ids/ids.ts';
import type { CheckoutAnswer, CheckpointAnswer, ReportBody } from './schema.ts';
import { commandArguments } from '../command-arguments.ts';
import { PASSPORT_CLAIM } from '../token.ts';

const ReportRow = z.object({
  replayed: z.boolean(),
  answer: z.string(),
  messages: z.number(),
  ended: z.array(z.string()),
});

/**
 * Records an agent's report on a passport, and the flags that it raises, by one SQL function. The grace of a checkpoint follows from
 * its interval, by checkpoint_grace().
 * @throws CarnetError NOT_FOUND, ACCOUNTABILITY_MODE, PASSPORT_EXPIRED, ALREADY_CHECKED_OUT; a checkpoint
 *   PASSPORT_REVOKED too.
 */
async function submitReport<Body>(
  context: Context,
  call: CommandCall,
  { jti, body, kind }: { jti: string; body: ReportBody; kind: 'checkpoint' | 'checkout' },
): Promise<Answered<Body>> {
  const { missedCheckoutGraceSeconds: checkoutGraceSeconds } = context.config;
  const [record, id] =
    kind === 'checkpoint'
      ? [sql.fragment`record_checkpoint`, newId('chk')]
      : [sql.fragment`record_checkout`, newId('chko')];
  const query = sql.type(ReportRow)`
    select * from ${record}(
      ${commandArguments(call)}, p_agent_part => ${agentPart(call.caller)}, p_id => ${id}, p_jti => ${jti}, p_claim => ${PASSPORT_CLAIM},
      p_checkout_grace => ${checkoutGraceSeconds}, p_services => ${textArray(body.services_used)},
      p_calls => ${JSON.stringify(body.tool_calls)}, p_actions => ${body.actions_count},
      p_delegated => ${textArray(body.delegated_to)}, p_summary => ${body.summary ?? null})`;
  const { replayed, answer } = await runHotCommand(context, call, {
    query,
    effects: ({ messages, ended }) => ({
      changed: ended,
      messages,
    }),
  });
  // The function writes it in the shape of the reply schema, with which the route parses it.
  return { status: 201, body: JSON.parse(answer) as Body, location: `/v1/passports/${jti}/report`, replayed };
}

interface Report {
  jti: string;
  body: ReportBody;
}

/** Submits a checkpoint, which counts for the passport and all its refreshes. See `submitReport` for errors. */
export const submitCheckpoint = (
  context: Context,
  call: CommandCall,
  report: Report,
): Promise<Answered<CheckpointAnswer>> => submitReport(context, call, { ...report, kind: 'checkpoint' });

/**
 * Submits the checkout: once, until 24 hours after the last expiry. A revoked passport can be checked out too, since a
 * revocation must not avoid the review. See `submitReport` for errors.
 */
export const submitCheckout = (
  context: Context,
  call: CommandCall,
  report: Report,
): Promise<Answered<CheckoutAnswer>> => submitReport(context, call, { ...report, kind: 'checkout' });
