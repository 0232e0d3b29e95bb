import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { OperatorId, PortalId } from '../../../ids/ids.ts';
import { portalStatuses, type PortalStatus } from './schema.ts';

const Nothing = z.object({});

const PortalRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  status: z.enum(portalStatuses),
  url: z.string().nullable(),
  return_to: z.string(),
});
type PortalRow = z.infer<typeof PortalRow>;

export async function insertPortal(
  connection: CommonQueryMethods,
  { id, operatorId, returnTo }: { id: PortalId; operatorId: OperatorId; returnTo: string },
): Promise<void> {
  await connection.query(
    sql.type(
      Nothing,
    )`insert into portal_sessions (id, operator_id, return_to) values (${id}, ${operatorId}, ${returnTo})`,
  );
}

/** Null once the row was purged. */
export const findPortal = (connection: CommonQueryMethods, id: string): Promise<PortalRow | null> =>
  connection.maybeOne(
    sql.type(PortalRow)`select id, operator_id, status, url, return_to from portal_sessions where id = ${id}`,
  );

/** @param url sealed */
export async function savePortalUrl(connection: CommonQueryMethods, id: string, url: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update portal_sessions set status = 'open', url = ${url} where id = ${id} and status = 'opening'`);
}

export async function endPortal(
  connection: CommonQueryMethods,
  id: string,
  status: 'answered' | 'refused',
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update portal_sessions set status = ${status}, url = null where id = ${id} and status in ('opening', 'open')`);
}

export const advancePortalRow = (connection: CommonQueryMethods, id: string): Promise<PortalStatus> =>
  connection.oneFirst(sql.type(z.object({ status: z.enum(portalStatuses) }))`select advance_portal(${id}) as status`);

export const describePortalRows = (connection: CommonQueryMethods, ids: string[]): Promise<readonly PortalRow[]> =>
  connection.any(
    sql.type(
      PortalRow,
    )`select id, operator_id, status, url, return_to from portal_sessions where id = any(${textArray(ids)})`,
  );

/** Deletes addresses of the portal that are an hour old, and sessions a week old. @returns whether there may be more. */
export const purgePortals = async (connection: CommonQueryMethods): Promise<boolean> =>
  (await connection.oneFirst(sql.type(z.object({ purged: z.number() }))`select purge_portals() as purged`)) >= 1_000;
