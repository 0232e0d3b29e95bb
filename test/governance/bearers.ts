import { z } from 'zod';
import { openIssuer, AUDIENCE } from '../http/auth/support/issuer.ts';
import { insertGrant, insertKey } from '../http/support/shell.ts';
import { otherJwk, publicJwk, block } from '../authority/support.ts';
import { submit } from '../claims/support.ts';
import { newRule } from '../notifications/support/destinations.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { insertHeldEvent } from '../inbound/support/endpoints.ts';
import { insertDestination, insertWebhook } from '../notifications/support/operators.ts';
import { timePasses } from '../passports/lineages.ts';
import { buildAgent, buildOperator, publication, unique } from '../support/factories.ts';
import { sellersSkill } from '../skills/support.ts';
import { PROVIDERS } from '../support/model-providers.ts';
import { insertMember } from '../support/people.ts';
import { settingsBeside, startRole } from '../support/role.ts';
import { database, requester, service, type Reply, type Requester } from '../support/service.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { withApproval } from './support.ts';

const HOUR = 3_600;
/** Seconds that a key lasts which is used for what nothing else may outlive; every other bearer of an end lasts longer. */
const SOON = 240;
const GRACE_SECONDS = 900;
/** The endpoint that there is from the beginning forwards to it. */
export const FORWARD_URL = 'https://93.184.216.34/first';
/** Seconds that an access token of the test's issuer is good for. */
const TOKEN_SECONDS = 300;

/** Ids of what there is, by the prefix, in the order in which they became known. */
type Known = Record<
  'ag' | 'psp' | 'ses' | 'chko' | 'mem' | 'key' | 'apr' | 'dst' | 'chn' | 'pgr' | 'inw' | 'iev' | 'pc',
  string[]
>;

/** Takes the next number of a step, to choose one of these. */
export type Choose = <T>(from: readonly T[]) => T;

export interface Bearer extends Requester {
  name: string;
  /** When it expires, milliseconds since 1970; Infinity: never. */
  endsAt: number;
}

/** The last call that needed an approval, to be made again with one. */
type Again = (headers: Record<string, string>) => Promise<Reply>;

/** An operator with people, agents and bearers, where no person ever acts. */
export interface BearersWorld {
  baseUrl: string;
  operatorId: OperatorId;
  db: DatabasePool;
  bearers: Bearer[];
  known: Known;
  tokens: string[];
  again: Again | undefined;
}

export interface Service {
  /** A world of its own: two owners and an administrator; an enforced agent, one of mode standard, a blocked one, and one with the key of the first. */
  open(): Promise<BearersWorld>;
  close(): Promise<void>;
}

/** RFC 8032, the third test: no agent has it from the beginning. */
const freeJwk = { kty: 'OKP', crv: 'Ed25519', x: '_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU' } as const;

/** A process of the service that takes OAuth tokens beside keys. */
export async function openService(): Promise<Service> {
  const issuer = await openIssuer();
  const api = await startRole('api', {
    ...(await settingsBeside(service())),
    OAUTH_ISSUER: issuer.url,
    OAUTH_AUDIENCE: AUDIENCE,
  });
  const db = await database();
  const open = async (): Promise<BearersWorld> => {
    const owner = await buildOperator({ tier: 'business' });
    const operatorId = owner.operatorId as OperatorId;
    const person = (role: 'owner' | 'admin' | 'member') =>
      insertMember(operatorId, { email: `${unique('person')}@example.test`, role });
    const agents = [
      await buildAgent(owner, { accountability: 'enforced', checkpoint_interval_seconds: 60, public_jwk: publicJwk }),
      await buildAgent(owner),
      await buildAgent(owner, { public_jwk: otherJwk }),
      await buildAgent(owner, { accountability: 'enforced', public_jwk: publicJwk }),
    ].map(({ id }) => id);
    const [enforced = '', , blocked = ''] = agents;
    await block(blocked);
    const [destination, other] = [await insertWebhook(operatorId), await insertDestination(operatorId)];
    const pool = await database();
    const rule = await newRule({ pool }, { destinations: [{ id: destination, operatorId }] });
    const grantId = await insertGrant({ pool: db }, operatorId);
    const { endpoint, event } = await insertHeldEvent(db, { operatorId, agentId: enforced });
    await run(db, sql.fragment`update inbound_endpoints set forward_url = ${FORWARD_URL} where id = ${endpoint}`);
    const key = async (more: object): Promise<string> =>
      (await insertKey({ pool: db }, { operatorId, expiresIn: HOUR, ...more })).secret;
    const token = (scope: string): Promise<string> => issuer.token({ operator_id: operatorId, scope });
    const shown: [name: string, credential: string, seconds: number][] = [
      ['an admin key', await key({}), HOUR],
      ['an admin token', await token('admin'), TOKEN_SECONDS],
      ['an agent key', await key({ agentId: enforced }), HOUR],
      ['a member key', await key({ role: 'member' }), HOUR],
      ['a partner key', await key({ grantId }), HOUR],
      ['a key that ends soon', await key({ expiresIn: SOON }), SOON],
      ['a key without an end', await key({ expiresIn: null }), Infinity],
    ];
    const { baseUrl } = api;
    return {
      baseUrl,
      operatorId,
      db,
      bearers: shown.map(([name, credential, seconds]) => ({
        name,
        endsAt: Date.now() + seconds * 1_000,
        ...requester(credential, baseUrl),
      })),
      known: {
        ag: agents,
        psp: [],
        ses: [],
        chko: [],
        mem: [await person('owner'), await person('admin'), await person('member')],
        key: [],
        apr: [],
        dst: [destination, other],
        chn: [rule],
        pgr: [grantId],
        inw: [endpoint],
        iev: [event],
        pc: [(await submit(owner)).id],
      },
      tokens: [],
      again: undefined,
    };
  };
  return {
    open,
    async close() {
      await api.stop();
      await issuer.close();
    },
  };
}

const report = (choose: Choose) => ({
  services_used: choose([[], ['undeclared']]),
  actions_count: 1,
});
const reason = { reason: 'because' };
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

/** How something is tried once it is chosen whom it is about. */
type Try = (as: Requester, headers: Record<string, string>) => Promise<Reply>;
type Attempt = (world: BearersWorld, choose: Choose) => Try | undefined;

/** The attempts of bearers: each chooses whom or what it is about. `undefined`: there is nothing yet that it could be about. */
export const attempts = {
  issue: ({ known }, choose) => {
    const body = {
      agent_id: choose(known.ag),
      ...choose([{}, { checkpoint_interval_seconds: 3_600 }]),
      ...choose([{}, { intent: { summary: 'x', services: [], estimated_duration_seconds: 7_200 } }]),
    };
    return (as, headers) => as.post('/v1/passports/issue', body, headers);
  },
  refresh: ({ tokens }, choose) => {
    if (tokens.length === 0) return undefined;
    const body = { token: choose(tokens) };
    return (as, headers) => as.post('/v1/passports/refresh', body, headers);
  },
  delegate: ({ tokens, known }, choose) => {
    if (tokens.length === 0) return undefined;
    const body = { parent_passport_token: choose(tokens), child_agent_id: choose(known.ag), scopes: [] };
    return (as, headers) => as.post('/v1/passports/delegate', body, headers);
  },
  checkpoint: ({ known }, choose) => {
    if (known.psp.length === 0) return undefined;
    const [path, body] = [`/v1/passports/${choose(known.psp)}/checkpoint`, report(choose)];
    return (as, headers) => as.post(path, body, headers);
  },
  checkout: ({ known }, choose) => {
    if (known.psp.length === 0) return undefined;
    const [path, body] = [`/v1/passports/${choose(known.psp)}/checkout`, report(choose)];
    return (as, headers) => as.post(path, body, headers);
  },
  decide: ({ known }, choose) => {
    if (known.chko.length === 0) return undefined;
    const path = `/v1/passports/reviews/${choose(known.chko)}/decide`;
    const body = choose([
      { decision: 'approved' },
      { decision: 'blocked' },
      { decision: 'approved', block_future: true },
      { decision: 'blocked', block_future: true },
    ]);
    return (as, headers) => as.post(path, body, headers);
  },
  block: ({ known }, choose) => {
    const [path, notes] = [`/v1/agents/${choose(known.ag)}/block`, choose(['One.', 'Another.'])];
    return (as, headers) => as.post(path, { notes }, headers);
  },
  unblock: ({ known }, choose) => {
    const path = `/v1/agents/${choose(known.ag)}/unblock`;
    return (as, headers) => as.post(path, undefined, headers);
  },
  changeAgent: ({ known }, choose) => {
    const path = `/v1/agents/${choose(known.ag)}`;
    const patch = choose([
      { accountability: 'logged' },
      { accountability: 'standard' },
      { accountability: 'enforced' },
      { checkpoint_interval_seconds: null },
      { checkpoint_interval_seconds: 3_600 },
      { accountability: 'enforced', checkpoint_interval_seconds: 120 },
      { checkpoint_interval_seconds: 60 },
      { status: 'disabled' },
      { status: 'active' },
      { public_jwk: null },
      { public_jwk: otherJwk },
      { public_jwk: publicJwk },
    ]);
    return (as, headers) => as.patch(path, patch, headers);
  },
  makeAgent: (_world, choose) => {
    const body = {
      name: unique('agent'),
      accountability: choose(['standard', 'logged', 'enforced']),
      ...choose([
        {},
        { public_jwk: otherJwk },
        { checkpoint_interval_seconds: 60 },
        { public_jwk: publicJwk },
        { public_jwk: freeJwk, checkpoint_interval_seconds: 60 },
        { public_jwk: freeJwk },
      ]),
    };
    return (as, headers) => as.post('/v1/agents', body, headers);
  },
  revoke: ({ known }, choose) => {
    const [jti, agent, session] = [
      choose([...known.psp, 'psp_none']),
      choose(known.ag),
      choose([...known.ses, 'ses_none']),
    ];
    const [path, body] = choose<[string, object]>([
      ['/v1/passports/revoke', { jti, ...reason }],
      [`/v1/passports/revoke-agent/${agent}`, reason],
      [`/v1/passports/revoke-session/${session}`, reason],
      ['/v1/passports/revoke-all', { confirm: true, ...reason }],
    ]);
    return (as, headers) => as.post(path, body, headers);
  },
  addMember: (_world, choose) => {
    const body = { email: `${unique('made')}@example.test`, role: choose(['owner', 'admin', 'member']) };
    return (as, headers) => as.post('/v1/members', body, headers);
  },
  deleteMember: ({ known }, choose) => {
    const path = `/v1/members/${choose(known.mem)}`;
    return (as, headers) => as.delete(path, headers);
  },
  makeKey: ({ known }, choose) => {
    const ends = choose([{}, { expires_at: inSeconds(10 * HOUR) }, { expires_at: inSeconds(60) }]);
    const body = {
      name: unique('key'),
      ...choose([
        { kind: 'operator', role: 'admin' },
        { kind: 'operator', role: 'member' },
        { kind: 'agent', agent_id: choose(known.ag) },
        { kind: 'partner', partner_grant_id: choose([...known.pgr, 'pgr_none']) },
      ]),
      ...ends,
    };
    return (as, headers) => as.post('/v1/api-keys', body, headers);
  },
  deleteKey: ({ known }, choose) => {
    const path = `/v1/api-keys/${choose([...known.key, 'key_none'])}`;
    return (as, headers) => as.delete(path, headers);
  },
  makeGrant: (_world, choose) => {
    const ends = choose([{}, { expires_at: inSeconds(10 * HOUR) }, { expires_at: inSeconds(60) }]);
    const body = { name: unique('partner'), providers: ['generic'], ...ends };
    return (as, headers) => as.post('/v1/partner-grants', body, headers);
  },
  deleteGrant: ({ known }, choose) => {
    const path = `/v1/partner-grants/${choose([...known.pgr, 'pgr_none'])}`;
    return (as, headers) => as.delete(path, headers);
  },
  changeOperator: (_world, choose) => {
    const patch = choose<object>([
      { payout_account: 'acct_1032D82eZvKYlo2C' },
      { payout_account: null },
      { public_jwks: [publicJwk] },
      { public_jwks: [otherJwk, publicJwk] },
      { public_jwks: [] },
      { email: `${unique('moved')}@example.test` },
      { passports_may_invoke: true },
      { passports_may_invoke: false },
      { name: 'Renamed' },
    ]);
    return (as, headers) => as.patch('/v1/operators/me', patch, headers);
  },
  makeRule: ({ known }, choose) => {
    const body = { destination_ids: [choose(known.dst)], ...choose([{}, { events: ['invocation.*'] }]) };
    return (as, headers) => as.post('/v1/notifications/channels', body, headers);
  },
  changeRule: ({ known }, choose) => {
    const path = `/v1/notifications/channels/${choose(known.chn)}`;
    const patch = choose([
      { min_severity: 'critical' },
      { destination_ids: [choose(known.dst)] },
      { events: ['wallet.low_balance'] },
    ]);
    return (as, headers) => as.patch(path, patch, headers);
  },
  deleteRule: ({ known }, choose) => {
    const path = `/v1/notifications/channels/${choose(known.chn)}`;
    return (as, headers) => as.delete(path, headers);
  },
  decideApproval: ({ known }, choose) => {
    if (known.apr.length === 0) return undefined;
    const path = `/v1/governance/approvals/${choose(known.apr)}/${choose(['approve', 'reject'])}`;
    return (as, headers) => as.post(path, undefined, headers);
  },
  makeDestination: (_world, choose) => {
    const body = choose([
      { channel_type: 'email', destination: `${unique('reader')}@example.test` },
      { channel_type: 'webhook', destination: 'https://93.184.216.34/hook' },
    ]);
    return (as, headers) => as.post('/v1/notifications/destinations', body, headers);
  },
  deleteDestination: ({ known }, choose) => {
    const path = `/v1/notifications/destinations/${choose(known.dst)}`;
    return (as, headers) => as.delete(path, headers);
  },
  rotateSecret: ({ known }, choose) => {
    const path = `/v1/notifications/destinations/${choose(known.dst)}/rotate-secret`;
    return (as, headers) => as.post(path, undefined, headers);
  },
  makeEndpoint: ({ known }, choose) => {
    const body = {
      provider: 'generic',
      agent_id: choose(known.ag),
      policy: choose<object>([{ mode: 'shadow' }, { block_at: 'critical' }, { block_at: 'low' }]),
      ...choose([{}, { secret: 'chosen-by-the-provider' }]),
    };
    return (as, headers) => as.post('/v1/operator/inbound-webhooks', body, headers);
  },
  changeEndpoint: ({ known }, choose) => {
    const path = `/v1/operator/inbound-webhooks/${choose(known.inw)}`;
    const patch = choose<object>([
      { policy: { mode: 'shadow' } },
      { policy: { block_at: 'critical' } },
      { forward_url: 'https://93.184.216.34/agent' },
      { forward_url: FORWARD_URL },
      { forward_url: null },
      { policy: { block_at: 'low', mode: 'enforce' } },
    ]);
    return (as, headers) => as.patch(path, patch, headers);
  },
  rotateEndpointSecret: ({ known }, choose) => {
    const path = `/v1/operator/inbound-webhooks/${choose(known.inw)}/rotate-secret`;
    const body = choose<object>([{ secret: 'chosen-by-a-bearer' }, { immediate: true }, {}]);
    return (as, headers) => as.post(path, body, headers);
  },
  setCredential: (_world, choose) => {
    const body = { api_key: choose(['sk-of-a-bearer-at-a-provider', 'sk-another-of-a-bearer-at-a-provider']) };
    const path = `/v1/credentials/${choose(PROVIDERS)}`;
    return (as, headers) => as.put(path, body, headers);
  },
  deleteCredential: (_world, choose) => {
    const path = `/v1/credentials/${choose(PROVIDERS)}`;
    return (as, headers) => as.delete(path, headers);
  },
  publishSkill: (_world, choose) => {
    const body = publication({
      ...sellersSkill,
      credential_mode: choose(['seller_provides', 'both', 'buyer_provides']),
      price_per_invocation: choose([0, 50]),
    });
    return (as, headers) => as.post('/v1/skills', body, headers);
  },
  replayEvent: ({ known }, choose) => {
    const path = `/v1/operator/inbound-webhooks/${choose(known.inw)}/events/${choose(known.iev)}/replay`;
    return (as, headers) => as.post(path, undefined, headers);
  },
  markHarmless: ({ known }, choose) => {
    const path = `/v1/operator/inbound-webhooks/${choose(known.inw)}/events/${choose(known.iev)}/harmless`;
    return (as, headers) => as.post(path, { finding: 0 }, headers);
  },
  eraseClaim: ({ known }, choose) => {
    const path = `/v1/claims/${choose(known.pc)}/erase`;
    return (as, headers) => as.post(path, undefined, headers);
  },
  eraseContents: () => (as, headers) => as.post('/v1/operators/me/erasure', undefined, headers),
  sayApproved: ({ known, again }, choose) => {
    if (again === undefined) return undefined;
    const headers = withApproval(choose([...known.apr, 'apr_none']));
    return () => again(headers);
  },
} satisfies Record<string, Attempt>;

const Access = z.object({ what: z.string(), ends: z.string().nullable() });

/** Lists what gives access to the operator or in its name, by what it opens, and when it ends: ISO 8601; null: it does not. */
export async function accessOf({ db, operatorId }: BearersWorld): Promise<ReadonlyMap<string, string | null>> {
  const found = await db.any(sql.type(Access)`
    select 'key ' || id || ' ' || encode(secret_hash, 'hex') as what, expires_at as ends from api_keys k
      where operator_id = ${operatorId} and not exists (select from agents a where a.id = k.agent_id and a.retired_at is not null)
    union all select 'member ' || id || ' ' || email || ' ' || role, null from members where operator_id = ${operatorId}
    union all select 'agent ' || id || ' signs by ' || key_thumbprint, null from agents where operator_id = ${operatorId} and key_thumbprint is not null
    union all select 'the operator signs by ' || kid, null from operator_public_keys where operator_id = ${operatorId}
    union all select 'endpoint ' || id || ' ' || secret, null from inbound_endpoints where operator_id = ${operatorId} and revoked_at is null
    union all select 'credential ' || provider || ' ' || secret, null from model_credentials where operator_id = ${operatorId}
    union all select 'skill ' || id || ' asks by the key of its seller', null from skills
      where operator_id = ${operatorId} and execution_mode <> 'open' and credential_mode in ('seller_provides', 'both')
    union all select concat_ws(' ', 'destination', id, address, secret), null from destinations where operator_id = ${operatorId}
    union all select 'session ' || s.id, s.expires_at from dashboard_sessions s join members m on m.id = s.member_id where m.operator_id = ${operatorId}`);
  return new Map(found.map(({ what, ends }) => [what, ends]));
}

/** A new key in an answer. */
export const keyIn = (body: Reply['body']): string | undefined =>
  [body['key'], body['api_key']].find((value) => typeof value === 'string');

/** Notes what an answer names, for later steps: ids, tokens and keys. */
export function learn(world: BearersWorld, { status, body, text }: Reply): void {
  for (const [prefix, ids] of Object.entries(world.known)) {
    for (const [id] of text.matchAll(new RegExp(`\\b${prefix}_[0-9A-Z]{26}\\b`, 'g')))
      if (!ids.includes(id)) ids.push(id);
  }
  if (typeof body['token'] === 'string') world.tokens.push(body['token']);
  const key = keyIn(body);
  if (status !== 201 || key === undefined) return;
  const endsAt = typeof body['expires_at'] === 'string' ? Date.parse(body['expires_at']) : Number.POSITIVE_INFINITY;
  world.bearers.push({ name: 'a key that one of them made', endsAt, ...requester(key, world.baseUrl) });
}

const Lineages = z.object({ id: z.string(), session_id: z.string() });

/** Time passes for all that the operator's agents owe, and every life looks. */
export async function passTime({ db, operatorId }: BearersWorld, seconds: number): Promise<void> {
  const lineages = await db.any(
    sql.type(Lineages)`select id, session_id from passport_lineages where operator_id = ${operatorId}`,
  );
  for (const { id, session_id: session } of lineages)
    await timePasses(db, { jti: id, session, operator: operatorId, agent: '' }, seconds);
  for (const session of new Set(lineages.map(({ session_id: id }) => id)))
    await db.query(sql.type(z.object({}))`select from advance_session(${session}, ${GRACE_SECONDS})`);
}
