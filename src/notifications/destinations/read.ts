import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { presentDestination } from './presenter.ts';
import { countDestinations, findDestination, listDestinations } from './queries.ts';
import type { Destination } from './schema.ts';

/** @throws CarnetError NOT_FOUND for an unknown or foreign destination. */
export const readDestination = ({ pool }: Context, { operatorId }: Caller, id: string): Promise<Destination> =>
  shownDestination(pool, operatorId, id);

/** @throws CarnetError NOT_FOUND */
export async function shownDestination(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  destinationId: string,
): Promise<Destination> {
  const row = await findDestination(connection, { operatorId, destinationId });
  assertThat(row, () => notFound('destination'));
  return presentDestination(row);
}

export async function pageOfDestinations(
  { pool }: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: Destination[]; total: number }> {
  const [rows, total] = await Promise.all([
    listDestinations(pool, operatorId, page),
    countDestinations(pool, operatorId),
  ]);
  return { items: rows.map(presentDestination), total };
}
