import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { ModelCallId } from '../../ids/ids.ts';

const Begun = z.object({ begun: z.enum(['calling', 'unavailable']).nullable() });

/** Takes the event for the one call of this attempt. @param maxMicrocents null: there is no model */
export const beginClassification = (
  connection: CommonQueryMethods,
  {
    eventId,
    attempt,
    callId,
    maxMicrocents,
  }: { eventId: string; attempt: number; callId: ModelCallId; maxMicrocents: number | null },
): Promise<'calling' | 'unavailable' | null> =>
  connection.oneFirst(
    sql.type(Begun)`select begin_classification(${eventId}, ${attempt}, ${callId}, ${maxMicrocents}) as begun`,
  );

/** Columns of `model_calls`. */
export interface AnsweredCall {
  operation: string;
  provider: string;
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cached_prompt_tokens: number | null;
  streaming: boolean;
  /** The cost for the platform. */
  cost_microcents: number;
  agent_id: string;
}

interface Settled {
  eventId: string;
  attempt: number;
  outcome: 'injection' | 'harmless' | 'failed';
  reason: string;
  /** null: no answer came, so nothing is recorded and charged. */
  call: AnsweredCall | null;
}

const SettledRow = z.object({ endpoint_id: z.string().nullable() });

/** @returns the endpoint; null where the event does not wait for this call any more */
export const settleClassification = (
  connection: CommonQueryMethods,
  { eventId, attempt, outcome, reason, call }: Settled,
): Promise<string | null> =>
  connection.oneFirst(sql.type(SettledRow)`
    select settle_classification(${eventId}, ${attempt}, ${outcome}, ${reason},
      ${call === null ? null : JSON.stringify(call)}::jsonb) as endpoint_id`);
