import { z } from 'zod';
import type { Answered } from '../commands/run.ts';
import type { JsonObject } from '../json/value.ts';
import type { Invocation, InvocationSummary } from './schema.ts';

/** What a hot function returns (type invocation_answer): the snapshot that is also what the Idempotency-Key keeps. */
export const InvocationAnswerRow = z.object({
  replayed: z.boolean(),
  snapshot: z.string(),
  input: z.string(),
  output: z.string().nullable(),
  messages: z.number(),
});
export type InvocationAnswer = z.infer<typeof InvocationAnswerRow>;

const objectOf = (text: string): JsonObject => JSON.parse(text) as JsonObject;

/** The snapshot is written by invocation_snapshot() alone, in the shape of the schema. */
export const summaryOf = (snapshot: string): InvocationSummary => JSON.parse(snapshot) as InvocationSummary;

export const invocationOf = (row: Pick<InvocationAnswer, 'snapshot' | 'input' | 'output'>): Invocation => ({
  ...summaryOf(row.snapshot),
  input: objectOf(row.input),
  output: row.output === null ? null : objectOf(row.output),
});

export const answered = (row: InvocationAnswer, status: 200 | 201 = 200): Answered<Invocation> => {
  const body = invocationOf(row);
  return {
    status,
    body,
    replayed: row.replayed,
    ...(status === 201 && { location: `/v1/skills/invocations/${body.id}` }),
  };
};
