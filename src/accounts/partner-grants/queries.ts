import { z } from 'zod';
import type { PartnerCaller } from '../../commands/caller.ts';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { assertThat } from '../../errors/carnet-error.ts';
import { unauthenticated } from '../../http/auth/credential.ts';
import type { OperatorId, PartnerGrantId } from '../../ids/ids.ts';
import { PartnerGrantSchema, type CreatePartnerGrant, type PartnerGrant } from './schema.ts';

const columns = sql.fragment`id, operator_id, name, providers, created_at`;

/** A grant of the operator that is not deleted. */
interface GrantOfOperator {
  operatorId: OperatorId;
  grantId: string;
}

const isThat = ({ operatorId, grantId }: GrantOfOperator) =>
  sql.fragment`id = ${grantId} and operator_id = ${operatorId} and deleted_at is null`;

export const findGrant = (connection: CommonQueryMethods, grant: GrantOfOperator): Promise<PartnerGrant | null> =>
  connection.maybeOne(sql.type(PartnerGrantSchema)`select ${columns} from partner_grants where ${isThat(grant)}`);

/** As `findGrant`; it is not deleted before the transaction ends. */
export const lockGrant = (connection: CommonQueryMethods, grant: GrantOfOperator): Promise<PartnerGrant | null> =>
  connection.maybeOne(
    sql.type(PartnerGrantSchema)`select ${columns} from partner_grants where ${isThat(grant)} for share`,
  );

/**
 * The grant of a partner who makes something, which is not deleted before the transaction ends.
 * @throws CarnetError UNAUTHENTICATED where it was deleted while its key was remembered
 */
export async function assertGrant(
  connection: CommonQueryMethods,
  { operatorId, grantId }: PartnerCaller,
): Promise<PartnerGrant> {
  const grant = await lockGrant(connection, { operatorId, grantId });
  assertThat(grant, () => unauthenticated('The grant of this key was deleted.', 'invalid_token'));
  return grant;
}

/** Newest first. */
export const listGrants = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly PartnerGrant[]> =>
  connection.any(sql.type(PartnerGrantSchema)`
    select ${columns} from partner_grants where operator_id = ${operatorId} and deleted_at is null
    order by id desc limit ${limit} offset ${offset}`);

export const countGrants = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from partner_grants where operator_id = ${operatorId} and deleted_at is null`);

export const insertGrant = (
  connection: CommonQueryMethods,
  grant: Pick<CreatePartnerGrant, 'name' | 'providers'> & { id: PartnerGrantId; operatorId: OperatorId },
): Promise<PartnerGrant> =>
  connection.one(sql.type(PartnerGrantSchema)`
    insert into partner_grants (id, operator_id, name, providers)
    values (${grant.id}, ${grant.operatorId}, ${grant.name}, ${textArray(grant.providers)})
    returning ${columns}`);

/** @returns whether there was one to delete; it waits for the call that makes something under it */
export const deleteGrant = async (connection: CommonQueryMethods, grant: GrantOfOperator): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    update partner_grants set deleted_at = clock_timestamp() where ${isThat(grant)} returning id`)) !== null;
