import { grantOf, type Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import {
  countEndpoints,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  type EndpointRow,
  type EndpointsOf,
} from './queries.ts';
import type { Endpoint } from './schema.ts';

/** The endpoints that a caller sees: a partner those of its grant, everybody else those of their operator. */
export const seenBy = (caller: Caller): EndpointsOf => ({ operatorId: caller.operatorId, grantId: grantOf(caller) });

/** An endpoint as it is answered. */
export function presentEndpoint({ config }: Pick<Context, 'config'>, row: EndpointRow): Endpoint {
  const { block_at, mode, received, rejected, duplicates, clean, suspicious, malicious, forwarded, ...rest } = row;
  const { blocked, forward_failed, marked_harmless, last_event_at, ...endpoint } = rest;
  return {
    ...endpoint,
    receiver_url: `${config.publicBaseUrl}/v1/inbound/${row.provider}/${row.slug}`,
    policy: { block_at, mode },
    status: row.revoked_at === null ? 'active' : 'revoked',
    counters: {
      received,
      rejected,
      duplicates,
      clean,
      suspicious,
      malicious,
      forwarded,
      blocked,
      forward_failed,
      marked_harmless,
      last_event_at,
    },
  };
}

/** @throws CarnetError NOT_FOUND for an endpoint that is unknown, or that the caller does not see. */
export async function readEndpoint(context: Context, caller: Caller, id: string): Promise<Endpoint> {
  return await shownEndpoint(context, context.pool, { caller, id });
}

/** As `readEndpoint`, on a connection. */
export async function shownEndpoint(
  context: Context,
  connection: CommonQueryMethods,
  { caller, id }: { caller: Caller; id: string },
): Promise<Endpoint> {
  const row = await findEndpoint(connection, seenBy(caller), id);
  assertThat(row, () => notFound('inbound endpoint'));
  return presentEndpoint(context, row);
}

/** @throws CarnetError NOT_FOUND for an endpoint that is unknown, or that the caller does not see. */
export async function assertEndpoint(context: Context, caller: Caller, id: string): Promise<void> {
  await readEndpoint(context, caller, id);
}

/**
 * An endpoint for a change, locked until the transaction ends.
 * @throws CarnetError NOT_FOUND; ENDPOINT_REVOKED
 */
export async function activeEndpoint(connection: CommonQueryMethods, caller: Caller, id: string): Promise<EndpointRow> {
  const row = await lockEndpoint(connection, seenBy(caller), id);
  assertThat(row, () => notFound('inbound endpoint'));
  assertThat(
    row.revoked_at === null,
    () => new CarnetError('ENDPOINT_REVOKED', 'This endpoint is revoked, which is for good; make another one.'),
  );
  return row;
}

export async function pageOfEndpoints(
  context: Context,
  caller: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: Endpoint[]; total: number }> {
  const seen = seenBy(caller);
  const [rows, total] = await Promise.all([
    listEndpoints(context.pool, seen, page),
    countEndpoints(context.pool, seen),
  ]);
  return { items: rows.map((row) => presentEndpoint(context, row)), total };
}

/** All that a person must know who decides about an endpoint that there is: whose events go where, and which of them pass. */
export const endpointDecidedAbout = ({
  id,
  name,
  provider,
  agent_id,
  forward_url,
  block_at,
  mode,
}: EndpointRow): object => ({
  id,
  name,
  provider,
  agent_id,
  forward_url,
  policy: { block_at, mode },
});
