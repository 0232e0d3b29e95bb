import { z } from 'zod';
import { translateDatabaseError } from '../../database/errors.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

const RunRow = z.object({
  skill_id: z.string(),
  consumer_operator_id: z.string(),
  provider_operator_id: z.string(),
  steps_done: z.int(),
});
export type SealedRun = z.output<typeof RunRow>;

/** The execution under way, and how many of its steps are done; null where it is over. */
export const findSealedRun = (connection: CommonQueryMethods, id: string): Promise<SealedRun | null> =>
  connection.maybeOne(sql.type(RunRow)`
    select i.skill_id, i.consumer_operator_id, i.provider_operator_id,
      (select count(*)::int from sealed_steps s where s.invocation_id = i.id and s.status = 'done') as steps_done
    from invocations i where i.id = ${id} and i.status = 'processing' and i.execution_mode <> 'open'`);

const BegunRow = z.object({
  state: z.enum(['run', 'over']),
  attempt: z.int().nullable(),
  input: z.string().nullable(),
});

interface NewStep {
  id: string;
  index: number;
  kind: 'script' | 'llm';
  /** Of its machine run or model call. */
  stepId: string;
  keySource: 'platform' | 'buyer' | 'seller';
}

/** Writes that the step runs. @returns its input, JSON text; null: there is nothing to run */
export async function beginSealedStep(
  connection: CommonQueryMethods,
  { id, index, kind, stepId, keySource }: NewStep,
): Promise<{ attempt: number; input: string } | null> {
  const { state, attempt, input } = await connection
    .one(sql.type(BegunRow)`select * from begin_sealed_step(${id}, ${index}, ${kind}, ${stepId}, ${keySource})`)
    .catch((error: unknown) => {
      throw translateDatabaseError(error);
    });
  return state === 'over' || attempt === null || input === null ? null : { attempt, input };
}

/** Columns of `sealed_steps`. */
export interface StepResult {
  /** Null: nobody knows. */
  cost_microcents: number | null;
  /** Milliseconds. */
  duration_ms: number;
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
  /** Of the price, where this completes the invocation. */
  transferId: string;
}

/** @returns false where somebody else has ended it, or it is over */
export const endSealedStep = (
  connection: CommonQueryMethods,
  { id, index, attempt, result, isLast, outputHash, transferId }: EndedStep,
): Promise<boolean> =>
  connection
    .oneFirst(sql.type(z.object({ ours: z.boolean() }))`
      select end_sealed_step(${id}, ${index}, ${attempt}, ${JSON.stringify(result)}::jsonb, ${isLast}, ${outputHash}, ${transferId}) as ours`)
    .catch((error: unknown) => {
      throw translateDatabaseError(error);
    });
