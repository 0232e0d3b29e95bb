import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import type { AgentId, ApiKeyId, OperatorId, PartnerGrantId } from '../../ids/ids.ts';
import type { Authenticator, Credential } from '../../http/auth/credential.ts';

const SHAPE = /^svc_live_[\w-]{20,100}$/;

const KeyRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  role: z.enum(['admin', 'member']).nullable(),
  agent_id: z.string().nullable(),
  partner_grant_id: z.string().nullable(),
  monthly_limit_cents: z.number().nullable(),
  expires_in_ms: z.number().nullable(),
  last_use_outdated: z.boolean(),
  suspended: z.boolean(),
  blocked: z.boolean(),
});
type KeyRow = z.infer<typeof KeyRow>;

const selectKey = (secretHash: Buffer) => sql.type(KeyRow)`
  select k.id, k.operator_id, k.role, k.agent_id, k.partner_grant_id, k.monthly_limit_cents,
         (extract(epoch from k.expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms,
         coalesce(k.last_used_at < now() - interval '1 minute', true) as last_use_outdated,
         o.status = 'suspended' as suspended,
         coalesce(a.status = 'blocked', false) as blocked
  from api_keys k
  join operators o on o.id = k.operator_id
  left join agents a on a.id = k.agent_id
  where k.secret_hash = ${sql.binary(secretHash)}
    and (k.expires_at is null or k.expires_at > clock_timestamp())
    and a.retired_at is null and a.status is distinct from 'disabled'`;

/** At most once a minute a key: enough for a person who wants to know which keys are still in use. */
const markUsed = (id: string) => sql.type(z.object({}))`
  update api_keys set last_used_at = now()
  where id = ${id} and coalesce(last_used_at < now() - interval '1 minute', true)`;

/**
 * Keys of operators, agents and partners, `svc_live_…`, found by their SHA-256. Expired keys and keys of retired agents,
 * blocked or not, are not valid.
 */
export function apiKeyAuthenticator({ pool, log }: Pick<Context, 'pool' | 'log'>): Authenticator {
  const find = async (token: string): Promise<Credential | null> => {
    const row = await pool.maybeOne(selectKey(hash('sha256', token, 'buffer')));
    if (row === null) return null;
    if (row.last_use_outdated) {
      pool
        .query(markUsed(row.id))
        .catch((error: unknown) => log.warn({ err: error, keyId: row.id }, 'last_used_at was not updated'));
    }
    return {
      caller: callerOf(row),
      suspended: row.suspended,
      blocked: row.blocked,
      validForMs: row.expires_in_ms ?? Number.POSITIVE_INFINITY,
    };
  };
  return { authenticate: (token) => (SHAPE.test(token) ? find(token) : undefined) };
}

function callerOf(row: KeyRow): Caller {
  const operatorId = row.operator_id as OperatorId;
  const keyId = row.id as ApiKeyId;
  if (row.partner_grant_id !== null)
    return { kind: 'partner', operatorId, keyId, grantId: row.partner_grant_id as PartnerGrantId };
  return row.agent_id === null
    ? { kind: 'operator', operatorId, role: row.role ?? 'member', platform: false, by: { kind: 'key', keyId } }
    : {
        kind: 'agent',
        operatorId,
        keyId,
        agentId: row.agent_id as AgentId,
        monthlyLimitCents: row.monthly_limit_cents,
      };
}
