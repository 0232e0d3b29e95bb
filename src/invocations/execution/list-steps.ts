import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { stepsOfSkill } from '../../skills/index.ts';
import type { ExecutedStep, Invocation } from '../schema.ts';

const StepRow = z.object({
  step_index: z.int(),
  kind: z.enum(['script', 'llm']),
  status: z.enum(['running', 'done', 'failed']),
  duration_ms: z.int().nullable(),
  charged_microcents: z.int(),
  tokens: z.int().nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  console: z.string().nullable(),
});

/** The steps of an execution that have begun; null where the provider does the work. Labels are code, and the console is its owner's. */
export async function listExecutedSteps(
  context: Context,
  { id, skill_id, execution_mode, provider_operator_id }: Invocation,
  reader: OperatorId,
): Promise<ExecutedStep[] | null> {
  if (execution_mode === 'open') return null;
  const rows = await context.pool.any(sql.type(StepRow)`
    select step_index, kind, status, duration_ms, charged_microcents, (model_call ->> 'total_tokens')::int as tokens,
      error_code, error_message, console
    from sealed_steps where invocation_id = ${id} order by step_index`);
  const isOwner = reader === provider_operator_id;
  const plan = isOwner || execution_mode === 'source' ? await stepsOfSkill(context, skill_id) : [];
  return rows.map(({ step_index, error_code, error_message, console, ...row }) => ({
    index: step_index,
    ...row,
    label: plan[step_index]?.label ?? null,
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
    console: isOwner ? console : null,
  }));
}
