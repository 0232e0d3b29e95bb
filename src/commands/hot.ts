import type { QuerySqlToken } from 'slonik';
import type { z } from 'zod';
import type { Context } from '../context/context.ts';
import { translated } from '../database/errors.ts';
import { keepConnection } from '../database/keep-connection.ts';
import { activeTraceparent, inSpan } from '../tracing/tracing.ts';
import type { CommandCall } from './command.ts';
import { faultPoint } from './fault-points.ts';
import { announce, inTransaction, type CommandEffects } from './unit.ts';

/**
 * Runs a hot command: one SQL function that is the whole transaction, idempotency row, audit row and messages included (measured: half
 * again as fast as the same statements one by one). One that is traced is a transaction around it, which says so to the rows.
 * @param effects which rows changed and how many messages were left, read from the row the function returned.
 * @throws CarnetError what the function or a constraint refuses, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_FLIGHT, TEMPORARILY_UNAVAILABLE.
 */
export async function runHotCommand<Row>(
  context: Context,
  call: Pick<CommandCall, 'operation'>,
  { query, effects }: { query: QuerySqlToken<z.ZodType<Row>>; effects: (row: Row) => CommandEffects },
): Promise<Row> {
  faultPoint(`${call.operation}:before`);
  const row = (await inSpan(`command ${call.operation}`, {}, () =>
    activeTraceparent() === undefined
      ? translated(keepConnection(context.pool, (connection) => connection.one(query)))
      : inTransaction(context, (connection) => connection.one(query)),
  )) as Row;
  faultPoint(`${call.operation}:committed`);
  announce(context, effects(row));
  return row;
}
