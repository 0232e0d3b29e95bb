import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { ApiKeyId, OperatorId } from '../../ids/ids.ts';
import { ApiKeySchema, type ApiKey } from './schema.ts';

const columns = sql.fragment`
  id, operator_id, name, kind, role, agent_id, partner_grant_id, monthly_limit_cents, last4, expires_at, last_used_at, created_by, created_at`;

/** Newest first. */
/** Keys of an operator: all of them, or those of this agent. */
interface KeysOf {
  operatorId: OperatorId;
  agentId: string | undefined;
}

const isOf = ({ operatorId, agentId }: KeysOf) =>
  sql.fragment`operator_id = ${operatorId} ${agentId === undefined ? sql.fragment`` : sql.fragment`and agent_id = ${agentId}`}`;

export const listApiKeys = (
  connection: CommonQueryMethods,
  of: KeysOf,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly ApiKey[]> =>
  connection.any(sql.type(ApiKeySchema)`
    select ${columns} from api_keys where ${isOf(of)}
    order by id desc limit ${limit} offset ${offset}`);

export const findApiKey = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<ApiKey | null> =>
  connection.maybeOne(
    sql.type(ApiKeySchema)`select ${columns} from api_keys where id = ${id} and operator_id = ${operatorId}`,
  );

/** As `findApiKey`; it is not deleted before the transaction ends. */
export const lockApiKey = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<ApiKey | null> =>
  connection.maybeOne(
    sql.type(
      ApiKeySchema,
    )`select ${columns} from api_keys where id = ${id} and operator_id = ${operatorId} for key share`,
  );

export const countApiKeys = (connection: CommonQueryMethods, of: KeysOf): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from api_keys where ${isOf(of)}`);

/** The database stores the hash of a key's secret, never the secret. */
export type NewApiKey = Omit<ApiKey, 'id' | 'last_used_at' | 'created_at'> & {
  id: ApiKeyId;
  secretHash: Buffer;
  /** The member behind the credential that made it; null: it cannot be told. */
  personId: string | null;
};

/** The member who made a key, or made the key that made it; null: it cannot be told, or there is no such key. */
export const findPersonOfKey = (connection: CommonQueryMethods, id: ApiKeyId): Promise<string | null> =>
  connection.maybeOneFirst(
    sql.type(z.object({ person_id: z.string().nullable() }))`select person_id from api_keys where id = ${id}`,
  );

/** @returns null, with nothing written, where a key with this secret exists already. */
export const insertApiKey = (connection: CommonQueryMethods, key: NewApiKey): Promise<ApiKey | null> =>
  connection.maybeOne(sql.type(ApiKeySchema)`
    insert into api_keys (id, operator_id, name, kind, role, agent_id, partner_grant_id, monthly_limit_cents, secret_hash,
                          last4, expires_at, created_by, person_id, line)
    values (${key.id}, ${key.operator_id}, ${key.name}, ${key.kind}, ${key.role}, ${key.agent_id},
            ${key.partner_grant_id}, ${key.monthly_limit_cents}, ${sql.binary(key.secretHash)}, ${key.last4}, ${key.expires_at}::timestamptz,
            ${key.created_by}, ${key.personId}, 
            makers_behind(${key.created_by}) || array_remove(array[${key.partner_grant_id ?? key.agent_id}, ${key.id}], null))
    on conflict (secret_hash) do nothing
    returning ${columns}`);

/** Deletes the keys of a partner. @returns their ids */
export const deleteKeysOfGrant = (connection: CommonQueryMethods, grantId: string): Promise<readonly string[]> =>
  connection.anyFirst(
    sql.type(z.object({ id: z.string() }))`delete from api_keys where partner_grant_id = ${grantId} returning id`,
  );

/** @returns whether there was one to delete. */
export const deleteApiKey = async (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    delete from api_keys where id = ${id} and operator_id = ${operatorId} returning id`)) !== null;
