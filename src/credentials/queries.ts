import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { OperatorId } from '../ids/ids.ts';
import { CredentialSchema, type Credential } from './schema.ts';

const Nothing = z.object({});
const columns = sql.fragment`provider, label, last_four, created_at, updated_at, last_used_at`;

/** The one credential that an operator has for a provider. */
export interface CredentialRef {
  operatorId: OperatorId;
  /** As it stands in the row; it need not be a provider of the settings any more. */
  provider: string;
}

export const findCredential = (
  connection: CommonQueryMethods,
  { operatorId, provider }: CredentialRef,
): Promise<Credential | null> =>
  connection.maybeOne(sql.type(CredentialSchema)`
    select ${columns} from model_credentials where operator_id = ${operatorId} and provider = ${provider}`);

/** By provider. */
export const listCredentials = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly Credential[]> =>
  connection.any(sql.type(CredentialSchema)`
    select ${columns} from model_credentials where operator_id = ${operatorId} order by provider limit ${limit} offset ${offset}`);

export const countCredentials = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from model_credentials where operator_id = ${operatorId}`);

interface EncryptedCredential {
  /** Sealed. */
  secret: string;
  lastFour: string;
  label: string | null;
}

/** Enters a credential, or replaces the one that is there; another key was not used yet. */
export const putCredential = (
  connection: CommonQueryMethods,
  { operatorId, provider }: CredentialRef,
  { secret, lastFour, label }: EncryptedCredential,
): Promise<Credential> =>
  connection.one(sql.type(CredentialSchema)`
    insert into model_credentials (operator_id, provider, secret, last_four, label)
    values (${operatorId}, ${provider}, ${secret}, ${lastFour}, ${label})
    on conflict (operator_id, provider) do update
      set secret = excluded.secret, last_four = excluded.last_four, label = excluded.label, updated_at = clock_timestamp(), last_used_at = null
    returning ${columns}`);

/** @returns whether there was one to delete */
export const deleteCredential = async (
  connection: CommonQueryMethods,
  { operatorId, provider }: CredentialRef,
): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ provider: z.string() }))`
    delete from model_credentials where operator_id = ${operatorId} and provider = ${provider} returning provider`)) !==
  null;

/** The sealed key; null where there is none. */
export const findSecret = (
  connection: CommonQueryMethods,
  { operatorId, provider }: CredentialRef,
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ secret: z.string() }))`
    select secret from model_credentials where operator_id = ${operatorId} and provider = ${provider}`);

/** Once a minute at most: a step of many calls would else write the same row for each. */
export async function noteUse(connection: CommonQueryMethods, { operatorId, provider }: CredentialRef): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update model_credentials set last_used_at = clock_timestamp()
    where operator_id = ${operatorId} and provider = ${provider}
      and coalesce(last_used_at <= clock_timestamp() - interval '1 minute', true)`);
}
