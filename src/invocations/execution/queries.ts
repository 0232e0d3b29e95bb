import { z } from 'zod';
import { translated } from '../../database/errors.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';

const RunRow = z.object({
  skill_id: z.string(),
  consumer_operator_id: z.custom<OperatorId>(),
  provider_operator_id: z.custom<OperatorId>(),
  steps_done: z.int(),
});
export type SealedRun = z.output<typeof RunRow>;

/** The execution under way, and how many of its steps are done; null where it is over. */
export const findSealedRun = (connection: CommonQueryMethods, id: string): Promise<SealedRun | null> =>
  connection.maybeOne(sql.type(RunRow)`
    select i.skill_id, i.consumer_operator_id, i.provider_operator_id,
      (select count(*)::int from sealed_steps s where s.invocation_id = i.id and s.status = 'done') as steps_done
    from invocations i where i.id = ${id} and i.status = 'processing' and i.execution_mode <> 'open'`);

const KeySource = z.enum(['platform', 'buyer', 'seller']);
export type KeySource = z.output<typeof KeySource>;

const BegunRow = z.object({
  state: z.enum(['run', 'over']),
  key_source: KeySource.nullable(),
  attempt: z.int().nullable(),
  input: z.string().nullable(),
});

interface NewStep {
  id: string;
  index: number;
  kind: 'script' | 'llm';
  /** The step of its machine run or model call. */
  stepId: string;
  /** The provider of a model step, and the most that the call can cost, in microcents. */
  model: { provider: string; maxMicrocents: number } | null;
}

/** Writes that the step runs. @returns its input, JSON text; null: there is nothing to run */
export async function beginSealedStep(
  connection: CommonQueryMethods,
  { id, index, kind, stepId, model }: NewStep,
): Promise<{ attempt: number; input: string; keySource: KeySource } | null> {
  const {
    state,
    attempt,
    input,
    key_source: keySource,
  } = await translated(
    connection.one(sql.type(BegunRow)`select * from begin_sealed_step(${id}, ${index}, ${kind}, ${stepId},
      ${model?.provider ?? null}, ${model?.maxMicrocents ?? null})`),
  );
  if (state === 'over' || attempt === null || input === null || keySource === null) return null;
  return { attempt, input, keySource };
}

/** Columns of `sealed_steps`. */
export interface StepResult {
  /** Null: nobody knows. */
  cost_microcents: number | null;
  /** Milliseconds. */
  duration_ms: number;
  /** A provider took the question, so that it counts against what a seller allows; of a script it means nothing. */
  asked: boolean;
  /** Columns of `model_calls`; null for a script, and where no answer came. */
  model_call: object | null;
  /** JSON text of an object; null where it failed. */
  output: string | null;
  error_code: string | null;
  error_message: string | null;
  /** For the owner of the skill. */
  console: string | null;
}

interface EndedStep {
  id: string;
  index: number;
  attempt: number;
  result: StepResult;
  isLast: boolean;
  outputHash: string | null;
  /** The transfer of the price, where this completes the invocation. */
  transferId: string;
}

/** Postgres keeps neither NUL nor half a surrogate pair, and a script may print both. */
const storable = (printed: string | null): string | null => printed?.replaceAll('\0', '\ufffd').toWellFormed() ?? null;

/** @returns false where somebody else has ended it, or it is over */
export const endSealedStep = (
  connection: CommonQueryMethods,
  { id, index, attempt, result, isLast, outputHash, transferId }: EndedStep,
): Promise<boolean> =>
  translated(
    connection.oneFirst(sql.type(z.object({ ours: z.boolean() }))`
      select end_sealed_step(${id}, ${index}, ${attempt}, ${JSON.stringify({ ...result, console: storable(result.console) })}::jsonb, ${isLast}, ${outputHash}, ${transferId}) as ours`),
  );
