import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { delegatePassport } from '../../src/passports/issuing/delegate.ts';
import { issuePassport } from '../../src/passports/issuing/issue.ts';
import { refreshPassport } from '../../src/passports/issuing/refresh.ts';
import { revokePassport, revokePassports, type RevocationScope } from '../../src/passports/revoking/revoke.ts';
import {
  DelegateBodySchema,
  IssueBodySchema,
  RefreshBodySchema,
  type SignedPassport,
} from '../../src/passports/schema.ts';
import { verifyPassport } from '../../src/passports/verifying/verify.ts';
import type { Context } from '../../src/context/context.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { callOf } from '../invocations/own-context.ts';

/** The result of a command: its answer, or the code of its refusal. */
export type Outcome<Body> = Body | string;

const outcomeOf = async <Body>(command: Promise<{ body: Body }>): Promise<Outcome<Body>> => {
  try {
    return (await command).body;
  } catch (error) {
    if (error instanceof CarnetError) return error.code;
    throw error;
  }
};

/** An operator of its own with agents of every accountability, each granted both services; commands without HTTP. */
export interface TreeWorld {
  operatorId: string;
  agents: { id: string; accountability: 'standard' | 'logged' | 'enforced' }[];
  connections: string[];
  issue(body: z.input<typeof IssueBodySchema>): Promise<Outcome<SignedPassport>>;
  delegate(body: z.input<typeof DelegateBodySchema>): Promise<Outcome<SignedPassport>>;
  refresh(body: z.input<typeof RefreshBodySchema>): Promise<Outcome<SignedPassport>>;
  /** @returns how many were revoked besides the named one. */
  revoke(jti: string, reason?: string): Promise<number>;
  revokeScope(scope: Omit<RevocationScope, 'reason'>, reason?: string): Promise<number>;
  /** @returns `valid`, or the reason why not. */
  verify(token: string): Promise<string>;
  expire(jti: string): Promise<unknown>;
  regrant(agentId: string, connectionId: string, scopes: readonly string[]): Promise<unknown>;
}

export const SCOPES = ['read', 'write', 'admin'] as const;
const MODES = ['standard', 'logged', 'enforced', 'standard'] as const;

export async function treeWorld(context: Context): Promise<TreeWorld> {
  const { pool } = context;
  const operatorId = newId('op');
  const agents = MODES.map((accountability) => ({ id: newId('ag'), accountability }));
  const connections = [newId('con'), newId('con')];
  await run(
    pool,
    sql.fragment`insert into operators (id, name, email) values (${operatorId}, ${operatorId}, 'trees@example.test')`,
  );
  await run(
    pool,
    sql.fragment`
    insert into agents (id, operator_id, name, accountability)
    select id, ${operatorId}, id, mode
    from unnest(${sql.array(
      agents.map(({ id }) => id),
      'text',
    )}, ${sql.array(
      agents.map(({ accountability }) => accountability),
      'text',
    )}) as a (id, mode)`,
  );
  await run(
    pool,
    sql.fragment`
    insert into service_connections (id, operator_id, service_id, service_name, scopes)
    select id, ${operatorId}, 'github', id, ${sql.array(SCOPES, 'text')} from unnest(${sql.array(connections, 'text')}) as c (id)`,
  );
  await run(
    pool,
    sql.fragment`
    insert into grants (agent_id, connection_id, operator_id, scopes, allow_data_from)
    select a.id, c.id, ${operatorId}, '{*}', '{*}' from agents a, service_connections c
    where a.operator_id = ${operatorId} and c.operator_id = ${operatorId}`,
  );
  const call = (operation: string) => callOf(operatorId, operation);
  return {
    operatorId,
    agents,
    connections,
    issue: (body) => outcomeOf(issuePassport(context, call('issuePassport'), IssueBodySchema.parse(body))),
    delegate: (body) => outcomeOf(delegatePassport(context, call('delegatePassport'), DelegateBodySchema.parse(body))),
    refresh: (body) => outcomeOf(refreshPassport(context, call('refreshPassport'), RefreshBodySchema.parse(body))),
    revoke: async (jti, reason = 'test') =>
      (await revokePassport(context, call('revokePassport'), { jti, reason })).body.cascaded_count,
    revokeScope: async (scope, reason = 'test') =>
      (await revokePassports(context, call('revokePassports'), { ...scope, reason })).body.revoked_count,
    async verify(token) {
      const verdict = await verifyPassport(context, token);
      return verdict.valid ? 'valid' : verdict.reason;
    },
    expire: (jti) =>
      run(
        pool,
        sql.fragment`
      update passports set issued_at = issued_at - interval '2 hours', expires_at = clock_timestamp() where jti = ${jti}`,
      ),
    regrant: (agentId, connectionId, scopes) =>
      run(
        pool,
        sql.fragment`
      update grants set scopes = ${sql.array(scopes, 'text')} where agent_id = ${agentId} and connection_id = ${connectionId}`,
      ),
  };
}
