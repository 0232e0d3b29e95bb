import { z } from 'zod';
import type { Answered } from '../commands/command.ts';
import type { OperatorId } from '../ids/ids.ts';
import type { JsonObject } from '../json/value.ts';
import type { Invocation, InvocationSummary } from './schema.ts';

/** The row that the SQL functions return (type invocation_answer); the snapshot is also kept under the Idempotency-Key. */
export const InvocationAnswerRow = z.object({
  replayed: z.boolean(),
  snapshot: z.string(),
  input: z.string(),
  output: z.string().nullable(),
  messages: z.number(),
});
export type InvocationAnswer = z.infer<typeof InvocationAnswerRow>;

/** Null: it was purged. */
const parseObject = (text: string): JsonObject | null => JSON.parse(text) as JsonObject | null;

/** invocation_snapshot() alone writes snapshots, in the shape of the schema, so they are not parsed by it again. */
export const summaryOf = (snapshot: string): InvocationSummary => JSON.parse(snapshot) as InvocationSummary;

export const invocationOf = (row: Pick<InvocationAnswer, 'snapshot' | 'input' | 'output'>): Invocation => ({
  ...summaryOf(row.snapshot),
  input: parseObject(row.input),
  output: row.output === null ? null : parseObject(row.output),
});

/** Why the consumer orders it is not the provider's to know: passport and mission would tell which orders belong together. */
export const summaryFor = <Shown extends InvocationSummary>(invocation: Shown, reader: OperatorId | null): Shown =>
  invocation.consumer_operator_id === reader ? invocation : { ...invocation, passport_id: null, mission_id: null };

/** The payloads between a consumer and the service are not the provider's either. */
export const invocationFor = (invocation: Invocation, reader: OperatorId | null): Invocation =>
  invocation.execution_mode === 'open' || invocation.consumer_operator_id === reader
    ? summaryFor(invocation, reader)
    : { ...summaryFor(invocation, reader), input: null, output: null };

/** @param reader the operator that is answered; null: a signal, which is answered with neither payloads nor purpose */
export const answerOf = (
  row: InvocationAnswer,
  reader: OperatorId | null,
  status: 200 | 201 = 200,
): Answered<Invocation> => {
  const body = invocationFor(invocationOf(row), reader);
  return {
    status,
    body,
    replayed: row.replayed,
    ...(status === 201 && { location: `/v1/skills/invocations/${body.id}` }),
  };
};
