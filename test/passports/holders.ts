import { z } from 'zod';
import type { ServiceConnection } from '../../src/authority/connections/schema.ts';
import { sql } from '../../src/database/pool.ts';
import type { SignedPassport } from '../../src/passports/schema.ts';
import type { PassportPayload } from '../../src/passports/token.ts';
import { buildConnection, grant } from '../authority/support.ts';
import { buildAgent, buildOperator, type Place, type TestOperator } from '../support/factories.ts';
import { assertStatus, database, requester, type Reply } from '../support/service.ts';

/** An operator whose agent is granted two services. */
export interface Holder {
  as: TestOperator;
  agentId: string;
  /** read, write, admin; content of every service may flow into it. */
  code: ServiceConnection;
  /** read, write, admin; nothing may flow into it. */
  chat: ServiceConnection;
}

export async function openHolder(agent: Record<string, unknown> = {}, place?: Place): Promise<Holder> {
  const as = await buildOperator({}, place);
  const [{ id: agentId }, code, chat] = [
    await buildAgent(as, agent),
    await buildConnection(as),
    await buildConnection(as, { service_id: 'slack' }),
  ];
  await grant(as, { agentId, connectionId: code.id }, { allow_data_from: ['*'] });
  await grant(as, { agentId, connectionId: chat.id });
  return { as, agentId, code, chat };
}

export const signed = (reply: Reply<SignedPassport>): SignedPassport => assertStatus(reply, 201);

type Issuer = Pick<Holder, 'as' | 'agentId'>;
export const tryIssue = ({ as, agentId }: Issuer, body: Record<string, unknown> = {}): Promise<Reply<SignedPassport>> =>
  as.post<SignedPassport>('/v1/passports/issue', { agent_id: agentId, ...body });
export const issue = async (holder: Issuer, body: Record<string, unknown> = {}): Promise<SignedPassport> =>
  signed(await tryIssue(holder, body));

/** By default to the holder's own agent, with everything of the first service. */
export const tryDelegate = (
  { as, agentId, code }: Holder,
  parent: string,
  body: Record<string, unknown> = {},
): Promise<Reply<SignedPassport>> =>
  as.post<SignedPassport>('/v1/passports/delegate', {
    parent_passport_token: parent,
    child_agent_id: agentId,
    scopes: [{ service_connection_id: code.id, scopes: ['*'] }],
    ...body,
  });
export const delegate = async (
  holder: Holder,
  { token }: SignedPassport,
  body: Record<string, unknown> = {},
): Promise<SignedPassport> => signed(await tryDelegate(holder, token, body));

export const tryRefresh = (
  { as }: Holder,
  token: string,
  body: Record<string, unknown> = {},
): Promise<Reply<SignedPassport>> => as.post<SignedPassport>('/v1/passports/refresh', { token, ...body });
export const refresh = async (
  holder: Holder,
  { token }: SignedPassport,
  body: Record<string, unknown> = {},
): Promise<SignedPassport> => signed(await tryRefresh(holder, token, body));

/** The payload of a token, unchecked. */
export const payloadOf = (token: string): PassportPayload =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as PassportPayload;
export const claimsOf = ({ token }: SignedPassport): PassportPayload['svcns'] => payloadOf(token).svcns;
/** Seconds. */
export const ttlOf = ({ token }: SignedPassport): number => payloadOf(token).exp - payloadOf(token).iat;

/** `valid`, or the reason why not. */
export async function verdictOf({ token }: SignedPassport, place?: Place): Promise<string> {
  const { valid, reason } = assertStatus(
    await requester(null, place?.baseUrl).post<{ valid: boolean; reason?: string }>('/v1/passports/verify', { token }),
    200,
  );
  return valid ? 'valid' : String(reason);
}

const run = async (statement: ReturnType<typeof sql.fragment>): Promise<void> => {
  await (await database()).query(sql.type(z.object({}))`${statement}`);
};

/** Makes it expire now, by Postgres' clock. */
export const expire = ({ jti }: SignedPassport): Promise<void> =>
  run(
    sql.fragment`update passports set issued_at = issued_at - interval '2 hours', expires_at = clock_timestamp() where jti = ${jti}`,
  );

/** Moves the begin of its session this many seconds into the past. */
export const ageSession = ({ jti }: SignedPassport, seconds: number): Promise<void> =>
  run(sql.fragment`
    update passport_sessions set started_at = started_at - make_interval(secs => ${seconds})
    where id = (select session_id from passports where jti = ${jti})`);

export const checkOut = ({ jti }: SignedPassport): Promise<void> =>
  run(
    sql.fragment`update passport_lineages set checked_out_at = clock_timestamp() where id = (select lineage_id from passports where jti = ${jti})`,
  );

/** Holds the agent, as an enforced checkout with a critical flag does: by a pending critical review. */
export const hold = async (holder: Holder, agentId = holder.agentId): Promise<void> => {
  const { jti } = await issue({ ...holder, agentId }, { scopes: [] });
  await run(sql.fragment`
    insert into checkouts (id, lineage_id, session_id, operator_id, agent_id, jti, missed, created_at, review_status, risk)
    select ${`chko_${jti.slice(4)}`}, lineage_id, session_id, operator_id, agent_id, jti, true, clock_timestamp(), 'pending', 'critical'
    from passports where jti = ${jti}`);
};
