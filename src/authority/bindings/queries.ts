import { z } from 'zod';
import { json } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { jsonObject } from '../../fields/objects.ts';
import type { AuthorityBindingId, OperatorId } from '../../ids/ids.ts';
import {
  AuthorityBindingSchema,
  AuthorityBindingWithDocumentSchema,
  type AuthorityBinding,
  type AuthorityBindingWithDocument,
} from './schema.ts';

const columns = sql.fragment`
  b.id, b.operator_id, b.agent_id, b.key_thumbprint, b.receiver_id, b.receiver_profile_version_id, b.binding_version,
  b.binding_digest, b.claim_id, b.expires_at, b.revoked_at, b.created_at,
  authority_binding_status(b.revoked_at, b.expires_at, b.key_thumbprint, a.key_thumbprint) as status`;

const BindingRow = AuthorityBindingWithDocumentSchema.extend({ document: json.pipe(jsonObject) });

/** A binding as its operator sees it; null where it is another's. */
export interface BindingOfOperator {
  operatorId: OperatorId;
  bindingId: string;
}

export const findAuthorityBinding = (
  connection: CommonQueryMethods,
  { operatorId, bindingId }: BindingOfOperator,
): Promise<AuthorityBindingWithDocument | null> =>
  connection.maybeOne(sql.type(BindingRow)`
    select ${columns}, b.document from authority_bindings b join agent_identities a on a.id = b.agent_id
    where b.id = ${bindingId} and b.operator_id = ${operatorId}`);

/** Newest first. */
export const listAuthorityBindings = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly AuthorityBinding[]> =>
  connection.any(sql.type(AuthorityBindingSchema)`
    select ${columns} from authority_bindings b join agent_identities a on a.id = b.agent_id
    where b.operator_id = ${operatorId} order by b.id desc limit ${limit} offset ${offset}`);

export const countAuthorityBindings = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ count: z.number() }))`
      select count(*) from authority_bindings where operator_id = ${operatorId}`,
  );

/** @param made with its document as JCS (RFC 8785) */
export const insertAuthorityBinding = async (
  connection: CommonQueryMethods,
  made: Omit<AuthorityBinding, 'id' | 'binding_version' | 'status' | 'revoked_at' | 'created_at'> & {
    id: AuthorityBindingId;
    document: string;
  },
): Promise<void> => {
  await connection.query(sql.type(z.object({}))`
    insert into authority_bindings (id, operator_id, agent_id, key_thumbprint, receiver_id, receiver_profile_version_id,
                                    document, binding_digest, claim_id, expires_at)
    values (${made.id}, ${made.operator_id}, ${made.agent_id}, ${made.key_thumbprint}, ${made.receiver_id},
            ${made.receiver_profile_version_id}, ${made.document}, ${made.binding_digest}, ${made.claim_id},
            ${made.expires_at}::timestamptz)`);
};

/** @returns the claim that records the binding; null where it was revoked before, or does not exist. */
export const revokeAuthorityBindingRow = (
  connection: CommonQueryMethods,
  { operatorId, bindingId }: BindingOfOperator,
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ claim_id: z.string() }))`
    update authority_bindings set revoked_at = clock_timestamp()
    where id = ${bindingId} and operator_id = ${operatorId} and revoked_at is null returning claim_id`);
