import type { z } from 'zod';
import { newId, type OperatorId } from '../../../src/ids/ids.ts';
import { recordMachineRun, recordModelCall, type MachineRun, type ModelCall } from '../../../src/billing/index.ts';
import { StatementSchema, TimelineSchema } from '../../../src/billing/statement/schema.ts';
import type { CommonQueryMethods } from '../../../src/database/pool.ts';
import { assertStatus, type Requester } from '../../support/service.ts';

export const PATH = '/v1/billing/transactions';

type Statement = z.output<typeof StatementSchema>;
type Timeline = z.output<typeof TimelineSchema>;

/** Parses with exactly the members that the schema has, at any depth. */
function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const value = schema.parse(body);
  const [sent, named] = [JSON.stringify(body), JSON.stringify(value)];
  if (JSON.stringify(sorted(body)) !== JSON.stringify(sorted(value))) {
    throw new Error(`The answer has members that its schema does not name.\n  sent ${sent}\n  named ${named}`);
  }
  return value;
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
};

const search = (query: Record<string, string | number>): string =>
  new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString();

export const address = (query: Record<string, string | number> = {}): string => `${PATH}?${search(query)}`;

export async function statementOf(reader: Requester, query: Record<string, string | number> = {}): Promise<Statement> {
  return parsed(StatementSchema, assertStatus(await reader.get(address(query)), 200));
}

export async function timelineOf(reader: Requester, query: Record<string, string | number> = {}): Promise<Timeline> {
  return parsed(TimelineSchema, assertStatus(await reader.get(address({ view: 'timeline', ...query })), 200));
}

/** All pages of a list, by following its cursors. */
export async function* pagesOf<Page extends { next_cursor: string | null }>(
  read: (query: Record<string, string | number>) => Promise<Page>,
  query: Record<string, string | number> = {},
): AsyncGenerator<Page> {
  let page = await read(query);
  yield page;
  while (page.next_cursor !== null) {
    page = await read({ ...query, cursor: page.next_cursor });
    yield page;
  }
}

/** A call of 869,565 microcents, which with the fee is a cent, on the meter sealed_execution. @returns its id. */
export async function call(
  db: CommonQueryMethods,
  operatorId: string,
  overrides: Partial<ModelCall> = {},
): Promise<string> {
  const id = newId('llm');
  await recordModelCall(db, {
    id,
    operatorId: operatorId as OperatorId,
    operation: 'sealed_step',
    provider: 'openai',
    model: 'gpt-5-mini',
    promptTokens: 1_000,
    completionTokens: 200,
    totalTokens: 1_200,
    streaming: false,
    price: { state: 'wallet_price', meter: 'sealed_execution', costMicrocents: 869_565 },
    ...overrides,
  });
  return id;
}

export const sealedCall = (
  db: CommonQueryMethods,
  operatorId: string,
  { costMicrocents, ...overrides }: Partial<ModelCall> & { costMicrocents: number },
) =>
  call(db, operatorId, { price: { state: 'wallet_price', meter: 'sealed_execution', costMicrocents }, ...overrides });

/** @returns the id of the run. */
export async function run(
  db: CommonQueryMethods,
  operatorId: string,
  { costMicrocents, ...overrides }: Partial<MachineRun> & { costMicrocents: number },
): Promise<string> {
  const id = newId('mch');
  await recordMachineRun(db, {
    id,
    operatorId: operatorId as OperatorId,
    durationMs: 250,
    costMicrocents,
    ...overrides,
  });
  return id;
}
