import { generateKeyPairSync, sign } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.ts';
import type { ApiKeyId, OperatorId } from '../../src/ids/ids.ts';
import { newId } from '../../src/ids/ids.ts';
import { createLogger } from '../../src/context/logging.ts';
import { openContext } from '../../src/process/open-context.ts';
import { delegatePassport } from '../../src/passports/issuing/delegate.ts';
import { issuePassport } from '../../src/passports/issuing/issue.ts';
import { DelegateBodySchema, IssueBodySchema, type DelegateBody } from '../../src/passports/schema.ts';
import { configOf } from '../config.ts';
import { answering, ready, settings } from './child.ts';

/** Issuing and delegating as a request does them below HTTP, and beside them the least that could replace it. */

export interface PassportRun {
  what: 'issue' | 'delegate' | 'bare';
  clients: number;
  seconds: number;
}

const { databaseUrl, size } = settings<{ databaseUrl: string; size: number }>();
await migrate(databaseUrl);
const context = await openContext(configOf({ databaseUrl }), createLogger('warn'), {
  messagesCommitted() {},
  async begin() {},
  async newestRun() {
    return null;
  },
});
const operatorId: OperatorId = newId('op');
const [agentId, connectionId] = [newId('ag'), newId('con')];

/** Only the rows that an issue writes: no lock, no check of grants, no index in a status list. */
const BARE_FUNCTION = `
  create function bare_passport(p_jti text, p_session text, p_operator text, p_agent text, p_payload text, p_kid text) returns void language plpgsql as $$
  declare v_now constant timestamptz := clock_timestamp();
  begin
    insert into passport_sessions (id, operator_id, started_at) values (p_session, p_operator, v_now);
    insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, started_at, latest_expiry)
      values (p_jti, p_session, p_operator, p_agent, p_agent, 0, 'standard', v_now, v_now + interval '15 minutes');
    insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload, status_day, status_index)
      values (p_jti, p_jti, p_session, p_operator, p_agent, 0, p_kid, v_now, v_now + interval '15 minutes', p_payload, v_now::date, 0);
    insert into audit_events (operator_id, actor, action, target, detail) values (p_operator, 'bench', 'passport.issued', p_jti, jsonb_build_object('agent_id', p_agent));
  end $$`;

const pool = new pg.Pool({ connectionString: databaseUrl, max: size });
await pool.query(BARE_FUNCTION);
await pool.query(
  `insert into operators (id, name, email, tier) values ($1, 'bench', 'bench@carnet.invalid', 'enterprise')`,
  [operatorId],
);
await pool.query(`insert into agents (id, operator_id, name) values ($1, $2, 'bench')`, [agentId, operatorId]);
await pool.query(
  `insert into service_connections (id, operator_id, service_id, service_name, scopes) values ($1, $2, 'github', 'github', '{repo:read,repo:write,issues:write}')`,
  [connectionId, operatorId],
);
await pool.query(
  `insert into grants (agent_id, connection_id, operator_id, scopes, allow_data_from) values ($1, $2, $3, '{*}', '{*}')`,
  [agentId, connectionId, operatorId],
);

const caller = {
  kind: 'operator',
  operatorId,
  role: 'admin',
  platform: false,
  by: { kind: 'key', keyId: 'bench' as ApiKeyId },
} as const;
const call = (operation: string) => ({ caller, operation, idempotency: null, requestId: 'bench', request: null });
const issueBody = IssueBodySchema.parse({ agent_id: agentId, ttl_seconds: 3_600 });
const issue = () => issuePassport(context, call('issuePassport'), issueBody);
const bodyBelow = (token: string) =>
  DelegateBodySchema.parse({
    parent_passport_token: token,
    child_agent_id: agentId,
    scopes: [{ service_connection_id: connectionId, scopes: ['*'] }],
  });
const delegate = (body: DelegateBody) => delegatePassport(context, call('delegatePassport'), body);

let { token: parent } = (await issue()).body;
const sample = Buffer.from(parent.split('.')[1] ?? '', 'base64url').toString('utf8');
const header = parent.split('.')[0] ?? '';
for (let depth = 1; depth < 4; depth += 1) parent = (await delegate(bodyBelow(parent))).body.token;
const delegateBody = bodyBelow(parent);

const { privateKey } = generateKeyPairSync('ed25519');
const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { kid: string };
const sampleJti = (JSON.parse(sample) as { jti: string }).jti;

async function bare(): Promise<string> {
  const jti = newId('psp');
  const payload = sample.replace(sampleJti, jti);
  const statement = {
    name: 'bare',
    text: 'select bare_passport($1, $2, $3, $4, $5, $6)',
    values: [jti, newId('ses'), operatorId, agentId, payload, kid],
  };
  await pool.query(statement);
  const input = `${header}.${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
}

const work = { issue, bare, delegate: () => delegate(delegateBody) };

answering(async ({ what, clients, seconds }: PassportRun) => {
  const [startedAt, until] = [performance.now(), performance.now() + seconds * 1_000];
  let done = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < until; done += 1) await work[what]();
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = (done * 1_000) / (performance.now() - startedAt);
  // Dead rows are removed before the next turn, so that they do not slow another contender.
  await pool.query('vacuum analyze');
  return { perSecond };
});
ready();
