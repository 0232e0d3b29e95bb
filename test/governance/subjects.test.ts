import assert from 'node:assert/strict';
import { z } from 'zod';
import { governedActs, type GovernedAct } from '../../src/commands/governed-acts.ts';
import { raiseAlarm } from '../../src/billing/cases/queries.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { hangingRefund, onlyCase } from '../billing/cases/support.ts';
import { beginTopUp, buildTopUp, post, topUpEvent } from '../billing/payments/support.ts';
import { refundedThere } from '../billing/payments/local-refunds.ts';
import { otherJwk, publicJwk } from '../authority/support.ts';
import { submit } from '../claims/support.ts';
import { insertHeldEvent } from '../inbound/support/endpoints.ts';
import { newRule } from '../notifications/support/destinations.ts';
import { insertDestination, insertWebhook } from '../notifications/support/operators.ts';
import { buildAgent, buildOperator, credit, publication, unique, type TestOperator } from '../support/factories.ts';
import { sellersSkill } from '../skills/support.ts';
import { PROVIDERS } from '../support/model-providers.ts';
import { buildPerson, insertMember, signIn, type Person } from '../support/people.ts';
import { assertStatus, database, platform, requester, type Reply, type Requester } from '../support/service.ts';
import { approve, refusedWith, withApproval } from './support.ts';

type Change = () => Promise<unknown>;

/** A governed act that a bearer asks for. */
interface Asked {
  as: Requester;
  call(as: Requester, headers: Record<string, string>): Promise<Reply>;
  /** Events that can happen to what it is about between the approval and its use; each changes what a person was shown. */
  changes: Change[];
  /** Facts that nothing changes: ids, and what is written once. */
  fixed: RegExp;
}

/** The world that a walk starts from. */
interface World {
  db: DatabasePool;
  operator: TestOperator;
  /** A key of the operator whose maker is its owner. */
  key: Requester;
  owner: Person;
}

const IDS = /(?:^|\.)(?:\w+_)?(?:id|created_at)$/;

const sqlOf =
  ({ db }: World) =>
  (statement: ReturnType<typeof sql.fragment>): Change =>
  () =>
    run(db, statement);

/** A review of the agent with a critical flag. */
async function criticalReview({ operator }: World, agentId: string): Promise<string> {
  const { jti } = assertStatus(await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: agentId }), 201);
  const report = { services_used: ['undeclared'], actions_count: 1 };
  const made = await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, report);
  return assertStatus(made, 201).checkout.id;
}

/** Everything that may happen to an agent and its reviews. */
const changesOfAgent = (world: World, agentId: string, checkoutId: string): Change[] => {
  const by = sqlOf(world);
  const agent = (column: string, value: ReturnType<typeof sql.fragment>): Change =>
    by(
      sql.fragment`update agents set ${sql.identifier([column])} = ${value}, updated_at = clock_timestamp() where id = ${agentId}`,
    );
  const review = (change: ReturnType<typeof sql.fragment>): Change =>
    by(sql.fragment`update checkouts set ${change} where id = ${checkoutId}`);
  const flag = (severity: string): Change =>
    by(sql.fragment`
      insert into passport_flags (lineage_id, jti, type, severity, occasion, message, raised_at)
      select lineage_id, jti, 'late_checkpoint', ${severity}, ${unique('occasion')}, 'Later.', clock_timestamp() from checkouts where id = ${checkoutId}`);
  return [
    agent('name', sql.fragment`'renamed'`),
    agent('monthly_limit_cents', sql.fragment`7`),
    agent('checkpoint_interval_seconds', sql.fragment`60`),
    agent(
      'public_jwk',
      sql.fragment`'{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'::jsonb`,
    ),
    by(sql.fragment`
      with made as (insert into partner_grants (id, operator_id, name, providers)
        select ${newId('pgr')}, operator_id, 'partner', '{generic}' from agents where id = ${agentId} returning id)
      update agents set partner_grant_id = made.id from made where agents.id = ${agentId}`),
    flag('warning'),
    flag('critical'),
    review(sql.fragment`notes = 'Looked at again.'`),
    review(sql.fragment`missed = true`),
    review(sql.fragment`claim_id = 'pc_another'`),
    review(sql.fragment`review_status = 'blocked', decided_at = clock_timestamp()`),
    review(sql.fragment`hold_lifted_at = clock_timestamp()`),
    by(
      sql.fragment`select block_agent(operator_id, id, ${checkoutId}, 'key_of_another', 'Never again.') from agents where id = ${agentId}`,
    ),
    by(sql.fragment`
      with lineage as (insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, started_at, latest_expiry)
        select ${newId('psp')}, 'ses_x', operator_id, id, id, 0, 'logged', now(), now() from agents where id = ${agentId} returning id)
      insert into passport_flags (lineage_id, jti, type, severity, occasion, message, raised_at)
      select id, id, 'missed_checkpoint', 'warning', '', 'Not reviewed.', now() from lineage`),
    by(sql.fragment`
      with lineage as (insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, started_at, latest_expiry)
        select ${newId('psp')}, 'ses_x', operator_id, id, id, 0, 'enforced', now(), now() from agents where id = ${agentId} returning id, operator_id, agent_id)
      insert into checkouts (id, lineage_id, session_id, operator_id, agent_id, jti, missed, created_at, review_status, risk, decided_at)
      select ${newId('chko')}, id, 'ses_x', operator_id, agent_id, id, true, now(), 'approved', 'clean', now() from lineage`),
    agent('retired_at', sql.fragment`clock_timestamp()`),
    ...changesOfTwin(world, agentId),
  ];
};

/** Another agent has a key of it, and a review. */
const changesOfTwin = (world: World, agentId: string): Change[] => {
  const by = sqlOf(world);
  const [twin, lineage] = [newId('ag'), newId('psp')];
  return [
    by(sql.fragment`
      insert into agents (id, operator_id, name, accountability, checkpoint_interval_seconds, public_jwk)
      select ${twin}, operator_id, 'twin', 'enforced', 60, public_jwk from agents where id = ${agentId}`),
    by(sql.fragment`
      with made as (insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, started_at, latest_expiry)
        select ${lineage}, 'ses_x', operator_id, id, id, 0, 'enforced', now(), now() from agents where id = ${twin} returning id)
      insert into passport_flags (lineage_id, jti, type, severity, occasion, message, raised_at)
      select id, id, 'missed_checkpoint', 'warning', '', 'Not reviewed.', now() from made`),
    by(sql.fragment`
      insert into checkouts (id, lineage_id, session_id, operator_id, agent_id, jti, missed, created_at, review_status, risk)
      select ${newId('chko')}, ${lineage}, 'ses_x', operator_id, id, ${lineage}, true, now(), 'pending', 'flagged' from agents where id = ${twin}`),
    by(sql.fragment`update checkouts set review_status = 'approved', decided_at = now() where lineage_id = ${lineage}`),
    by(sql.fragment`update agents set checkpoint_interval_seconds = 90 where id = ${twin}`),
    by(sql.fragment`update agents set accountability = 'logged' where id = ${twin}`),
    ...['First.', 'Once more.'].map((reason) =>
      by(
        sql.fragment`select block_agent(operator_id, id, null, 'key_of_one', ${reason}) from agents where id = ${twin}`,
      ),
    ),
    by(sql.fragment`update agents set status = 'disabled' where id = ${twin}`),
  ];
};

/** Another agent of the operator that has a key, and everything that may happen to it. */
async function bearerOf({ operator, ...world }: World, key: object): Promise<Change[]> {
  const { id } = await buildAgent(operator, { public_jwk: key });
  const set = (change: ReturnType<typeof sql.fragment>): Change =>
    sqlOf({ operator, ...world })(sql.fragment`update agents set ${change} where id = ${id}`);
  return [
    set(sql.fragment`name = 'renamed'`),
    set(sql.fragment`accountability = 'enforced'`),
    set(sql.fragment`checkpoint_interval_seconds = 60`),
    set(sql.fragment`public_jwk = null`),
    set(sql.fragment`status = 'disabled'`),
    () => buildAgent(operator, { public_jwk: key }),
  ];
}

/** An agent with a review, and all that may happen to it short of a block, which refuses the act itself. */
async function reviewedAgent(world: World): Promise<{ id: string; changes: Change[] }> {
  const { id } = await buildAgent(world.operator, { accountability: 'enforced' });
  const all = changesOfAgent(world, id, await criticalReview(world, id));
  return { id, changes: all.toSpliced(12, 1) };
}

/** A key of the operator that ends within the hour. */
async function endingKey({ owner }: World): Promise<Requester> {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: unique('key'), kind: 'operator', role: 'admin', expires_at };
  return requester(assertStatus(await owner.post<{ key: string }>('/v1/api-keys', body), 201).key);
}

/** Beside ids, what of an agent and its reviews is as it was. */
const FIXED_OF_AGENT =
  /^(?:agent\.(?:accountability|held_to\.accountability.*|status|public_jwk.*)|(?:other_)?(?:twin_)?blocks.*|key_bearers\.other_agents\..*|conduct\.(?:holding|twins\.other_agents.*|(?:twins\.)?other_unreviewed_flags|reviews\[\]\.(?:jti|risk|digest|flags\[\]\.(?:jti|raised_at))|unreviewed_flags.*))$/;
const either = (...patterns: RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'));

const emailOf = (): string => `${unique('person')}@example.test`;

const member =
  (role: 'owner' | 'admin', what: 'added' | 'deleted') =>
  async (world: World): Promise<Asked> => {
    const { operator, key } = world;
    const [id, other] = [
      await insertMember(operator.operatorId, { email: emailOf(), role }),
      await insertMember(operator.operatorId, { email: emailOf(), role }),
    ];
    const by = sqlOf(world);
    const body = { email: emailOf(), role };
    return {
      as: key,
      call: (as, headers) =>
        what === 'added' ? as.post('/v1/members', body, headers) : as.delete(`/v1/members/${id}`, headers),
      changes: [
        () => insertMember(operator.operatorId, { email: emailOf(), role: 'admin' }),
        by(sql.fragment`update members set email = ${emailOf()} where id = ${id}`),
        by(sql.fragment`update members set joined_at = null where id = ${id}`),
        // Somebody who signs in nowhere: who approves here keeps the role to do so.
        by(sql.fragment`update members set role = ${role === 'owner' ? 'admin' : 'owner'} where id = ${other}`),
        () => insertMember(operator.operatorId, { email: emailOf(), role: 'owner' }),
      ],
      fixed: either(IDS, /^member\.role$/),
    };
  };

async function destinations(world: World) {
  const { operator } = world;
  const [first, second] = [await insertWebhook(operator.operatorId), await insertDestination(operator.operatorId)];
  const rule = await newRule({ pool: world.db }, { destinations: [{ id: first, operatorId: operator.operatorId }] });
  return { first, second, rule, by: sqlOf(world), operatorId: operator.operatorId };
}
type Destinations = Awaited<ReturnType<typeof destinations>>;

const changesOfDestination = (world: World, { first, second, rule, by, operatorId }: Destinations): Change[] => [
  by(sql.fragment`update destinations set destination = 'https://hooks.example.com/y' where id = ${first}`),
  by(sql.fragment`update destinations set verified_at = null where id = ${first}`),
  by(sql.fragment`update destinations set disabled_at = now(), disabled_reason = 'x' where id = ${first}`),
  by(sql.fragment`update notification_rules set events = '{agent.blocked}' where id = ${rule}`),
  by(sql.fragment`update notification_rules set min_severity = 'critical' where id = ${rule}`),
  by(sql.fragment`update notification_rules set active = false where id = ${rule}`),
  by(sql.fragment`insert into rule_destinations (rule_id, destination_id, position) values (${rule}, ${second}, 9)`),
  () => newRule({ pool: world.db }, { destinations: [{ id: first, operatorId }] }),
];

const changesOfRule = (world: World, { first, second, rule, by, operatorId }: Destinations): Change[] => [
  by(sql.fragment`update notification_rules set events = '{agent.blocked}' where id = ${rule}`),
  by(sql.fragment`update notification_rules set min_severity = 'critical' where id = ${rule}`),
  by(sql.fragment`update destinations set destination = 'https://hooks.example.com/y' where id = ${first}`),
  by(sql.fragment`insert into rule_destinations (rule_id, destination_id, position) values (${rule}, ${second}, 9)`),
  by(sql.fragment`update destinations set destination = 'another@example.test' where id = ${second}`),
  () => newRule({ pool: world.db }, { destinations: [{ id: first, operatorId }] }),
  by(
    sql.fragment`update notification_rules set active = false, events = '{agent.blocked}', min_severity = 'warning' where operator_id = ${operatorId} and id <> ${rule}`,
  ),
];

const onRule =
  (
    call: (
      as: Requester,
      at: { path: string; first: string; second: string },
      headers: Record<string, string>,
    ) => Promise<Reply>,
  ) =>
  async (world: World): Promise<Asked> => {
    const made = await destinations(world);
    const { first, second, rule } = made;
    await newRule({ pool: world.db }, { destinations: [{ id: first, operatorId: world.operator.operatorId }] });
    const at = { path: `/v1/notifications/channels/${rule}`, first, second };
    return {
      as: world.key,
      call: (as, headers) => call(as, at, headers),
      changes: changesOfRule(world, made),
      fixed: either(IDS, /channel_type$/),
    };
  };

const onDestination =
  (call: (as: Requester, path: string, headers: Record<string, string>) => Promise<Reply>) =>
  async (world: World): Promise<Asked> => {
    const made = await destinations(world);
    return {
      as: world.key,
      call: (as, headers) => call(as, `/v1/notifications/destinations/${made.first}`, headers),
      changes: changesOfDestination(world, made),
      fixed: either(IDS, /^channel_type$/),
    };
  };

const newEndpoint =
  (more: object) =>
  async (world: World): Promise<Asked> => {
    const { id } = await buildAgent(world.operator);
    const agent = (set: ReturnType<typeof sql.fragment>): Change =>
      sqlOf(world)(sql.fragment`update agents set ${set} where id = ${id}`);
    return {
      as: world.key,
      call: (as, headers) =>
        as.post('/v1/operator/inbound-webhooks', { provider: 'generic', agent_id: id, ...more }, headers),
      changes: [
        agent(sql.fragment`name = 'renamed'`),
        agent(sql.fragment`accountability = 'logged'`),
        agent(sql.fragment`status = 'blocked'`),
      ],
      fixed: IDS,
    };
  };

/** On an endpoint that there is. */
const onEndpoint =
  (
    call: (as: Requester, at: { path: string; event: string }, headers: Record<string, string>) => Promise<Reply>,
    changesOf: (at: { endpoint: string; event: string; by: ReturnType<typeof sqlOf> }) => Change[],
    fixed = /^(?:agent_id|provider)$/,
  ) =>
  async (world: World): Promise<Asked> => {
    const { id: agentId } = await buildAgent(world.key);
    const { endpoint, event } = await insertHeldEvent(world.db, { operatorId: world.operator.operatorId, agentId });
    await run(
      world.db,
      sql.fragment`update inbound_endpoints set forward_url = 'https://93.184.216.34/first' where id = ${endpoint}`,
    );
    const path = `/v1/operator/inbound-webhooks/${endpoint}`;
    return {
      as: world.key,
      call: (as, headers) => call(as, { path, event }, headers),
      changes: changesOf({ endpoint, event, by: sqlOf(world) }),
      fixed: either(IDS, fixed),
    };
  };

const changesOfEndpoint = ({ endpoint, by }: { endpoint: string; by: ReturnType<typeof sqlOf> }): Change[] => [
  by(sql.fragment`update inbound_endpoints set name = 'renamed' where id = ${endpoint}`),
  by(sql.fragment`update inbound_endpoints set forward_url = 'https://93.184.216.34/second' where id = ${endpoint}`),
  by(sql.fragment`update inbound_endpoints set block_at = 'low' where id = ${endpoint}`),
  by(sql.fragment`update inbound_endpoints set mode = 'shadow' where id = ${endpoint}`),
];

const changesOfVerdict = ({ event, by }: { event: string; by: ReturnType<typeof sqlOf> }): Change[] => [
  by(sql.fragment`update inbound_events set attempt = attempt + 1 where id = ${event}`),
  by(sql.fragment`update inbound_events set body_hash = sha256('other bytes') where id = ${event}`),
  by(
    sql.fragment`update inbound_events set findings = jsonb_set(findings, '{0,severity}', '"critical"') where id = ${event}`,
  ),
  by(
    sql.fragment`update inbound_events set findings = jsonb_set(findings, '{0,reason}', '"Another."') where id = ${event}`,
  ),
];

/** Where what passes goes, and what passes. */
const changesOfWay = (at: { endpoint: string; by: ReturnType<typeof sqlOf> }): Change[] =>
  changesOfEndpoint(at).slice(1);

/** Acts that the platform's key asks for, and a person of the platform approves. */
const onCase =
  (
    kind: 'refund' | 'receivable' | 'differing_payment' | 'alarm',
    act: string,
    { changesOf, fixed = /^$/ }: { changesOf: (id: string, by: ReturnType<typeof sqlOf>) => Change[]; fixed?: RegExp },
  ) =>
  async (world: World): Promise<Asked> => {
    const operator = await buildOperator();
    let id: string;
    if (kind === 'refund') {
      id = await hangingRefund(operator, (await buildTopUp(operator)).transactionId);
    } else if (kind === 'alarm') {
      await raiseAlarm(world.db, { kind: 'unknown_price', concerns: unique('sbc'), operatorId: operator.operatorId });
      id = (await onlyCase(operator)).id;
    } else if (kind === 'receivable') {
      const { id: topUp } = await buildTopUp(operator);
      await credit(operator.operatorId, -400);
      id = await debtOf(operator, topUp);
    } else {
      const topUp = await beginTopUp(operator);
      await post(topUpEvent(topUp, undefined, { amount_total: 900 }));
      id = (await onlyCase(operator)).id;
    }
    const path = `/v1/admin/billing/${kind === 'alarm' ? 'alarms' : `${kind.replace('_', '-')}s`}/${encodeURIComponent(id)}/${act}`;
    const body = { reason: 'Looked up at the provider.', ...(kind === 'refund' && { outcome: 'failed' }) };
    return {
      as: platform(),
      call: (as, headers) => as.post(path, body, headers),
      changes: changesOf(id, sqlOf(world)),
      fixed: either(IDS, /^(?:state|currency|concerns|requested_cents)$/, fixed),
    };
  };

async function debtOf(operator: TestOperator, topUp: string): Promise<string> {
  const pool = await database();
  const paymentId = await pool.oneFirst(
    sql.type(z.object({ payment_id: z.string() }))`select payment_id from top_ups where id = ${topUp}`,
  );
  await refundedThere(paymentId, 1_000);
  return (await onlyCase(operator)).id;
}

const changesOfDiffering = (id: string, by: ReturnType<typeof sqlOf>): Change[] => [
  by(sql.fragment`update differing_payments set amount_cents = amount_cents + 1 where id = ${id}`),
];

/** Stands for an act that is about nothing but its own request. */
const SAYS_IT_ALL = 'the request says it all';

/** Each act, as a bearer asks for it. */
const walks: Record<GovernedAct, (world: World) => Promise<Asked>> = {
  'review.approved': async (world) => {
    const { id } = await buildAgent(world.operator, { accountability: 'enforced' });
    const checkout = await criticalReview(world, id);
    return {
      as: world.key,
      call: (as, headers) => as.post(`/v1/passports/reviews/${checkout}/decide`, { decision: 'approved' }, headers),
      changes: changesOfAgent(world, id, checkout).slice(5, 12),
      fixed: either(IDS, /^(?:review\.(?:jti|risk|flags\[\]\.(?:jti|raised_at))|block_future)$/),
    };
  },
  'agent.unblocked': async (world) => {
    const { id } = await buildAgent(world.operator, { accountability: 'enforced' });
    const checkout = await criticalReview(world, id);
    await run(
      world.db,
      sql.fragment`select block_agent(operator_id, id, null, 'key_of_one', null) from agents where id = ${id}`,
    );
    return {
      as: world.key,
      call: (as, headers) => as.post(`/v1/agents/${id}/unblock`, undefined, headers),
      changes: changesOfAgent(world, id, checkout),
      fixed: either(IDS, FIXED_OF_AGENT),
    };
  },
  'agent.accountability_weakened': async (world) => {
    const { id } = await buildAgent(world.operator, { accountability: 'enforced' });
    const checkout = await criticalReview(world, id);
    return {
      as: world.key,
      call: (as, headers) => as.patch(`/v1/agents/${id}`, { accountability: 'standard' }, headers),
      changes: changesOfAgent(world, id, checkout),
      fixed: either(IDS, FIXED_OF_AGENT),
    };
  },
  'member.owner_added': member('owner', 'added'),
  'member.admin_added': member('admin', 'added'),
  'member.owner_deleted': member('owner', 'deleted'),
  'member.admin_deleted': member('admin', 'deleted'),
  'api_key.outlives_maker': async (world) => {
    const { id } = await buildAgent(world.operator);
    return {
      as: await endingKey(world),
      call: (as, headers) => as.post('/v1/api-keys', { name: 'lasting', kind: 'agent', agent_id: id }, headers),
      changes: changesOfAgent(world, id, 'chko_none').slice(0, 5),
      fixed: either(IDS, /^(?:accountability|status|retired_at|public_jwk.*|held_to\..*)$/),
    };
  },
  'partner_grant.outlives_maker': async (world) => ({
    as: await endingKey(world),
    call: (as, headers) => as.post('/v1/partner-grants', { name: 'lasting', providers: ['generic'] }, headers),
    changes: [],
    fixed: new RegExp(SAYS_IT_ALL),
  }),
  'member.outlives_maker': async (world) => ({
    as: await endingKey(world),
    call: (as, headers) => as.post('/v1/members', { email: 'invited@example.test', role: 'member' }, headers),
    changes: [() => insertMember(world.operator.operatorId, { email: emailOf(), role: 'admin' })],
    fixed: either(IDS, /^deciders\[\]\./),
  }),
  'new_agent_public_key.outlives_maker': async (world) => ({
    as: await endingKey(world),
    call: (as, headers) => as.post('/v1/agents', { name: 'with a key', public_jwk: otherJwk }, headers),
    changes: await bearerOf(world, otherJwk),
    fixed: either(IDS, /^key_bearers\.other_agents\./),
  }),
  'agent_public_key.outlives_maker': async (world) => {
    const { id, changes } = await reviewedAgent(world);
    return {
      as: await endingKey(world),
      call: (as, headers) => as.patch(`/v1/agents/${id}`, { public_jwk: otherJwk }, headers),
      changes: [...(await bearerOf(world, otherJwk)), ...changes],
      fixed: either(IDS, FIXED_OF_AGENT),
    };
  },
  'agent.brought_back': async (world) => {
    const { id, changes } = await reviewedAgent(world);
    assertStatus(await world.operator.patch(`/v1/agents/${id}`, { status: 'disabled' }), 200);
    return {
      as: world.key,
      call: (as, headers) => as.patch(`/v1/agents/${id}`, { status: 'active' }, headers),
      changes,
      fixed: either(IDS, FIXED_OF_AGENT),
    };
  },
  'operator_public_key.outlives_maker': async (world) => ({
    as: await endingKey(world),
    call: (as, headers) => as.patch('/v1/operators/me', { public_jwks: [otherJwk] }, headers),
    changes: [
      async () => assertStatus(await world.operator.patch('/v1/operators/me', { public_jwks: [publicJwk] }), 200),
    ],
    fixed: IDS,
  }),
  'credential.outlives_maker': async (world) => {
    const path = `/v1/credentials/${PROVIDERS[0]}`;
    const enter =
      (body: object): Change =>
      async () =>
        assertStatus(await world.operator.put(path, body), 200);
    await enter({ api_key: 'sk-of-the-operator-1111', label: 'one' })();
    return {
      as: await endingKey(world),
      call: (as, headers) => as.put(path, { api_key: 'sk-of-a-bearer-that-ends' }, headers),
      changes: [
        enter({ api_key: 'sk-of-the-operator-1111', label: 'two' }),
        enter({ api_key: 'sk-of-the-operator-2222', label: 'two' }),
      ],
      fixed: either(IDS, /^provider$/),
    };
  },
  'skill.outlives_maker': async (world) => {
    const body = publication(sellersSkill);
    return {
      as: await endingKey(world),
      call: (as, headers) => as.post('/v1/skills', body, headers),
      changes: [],
      fixed: new RegExp(SAYS_IT_ALL),
    };
  },
  'operator.payout_account_changed': async (world) => ({
    as: await endingKey(world),
    call: (as, headers) =>
      as.patch('/v1/operators/me', { payout_account: 'acct_1032D82eZvKYlo2C', public_jwks: [otherJwk] }, headers),
    changes: [
      async () => assertStatus(await world.operator.patch('/v1/operators/me', { public_jwks: [publicJwk] }), 200),
      sqlOf(world)(
        sql.fragment`update operators set payout_account = 'acct_2' where id = ${world.operator.operatorId}`,
      ),
    ],
    fixed: IDS,
  }),
  'operator.passports_may_invoke': async (world) => ({
    as: world.key,
    call: (as, headers) =>
      as.patch('/v1/operators/me', { passports_may_invoke: true, public_jwks: [otherJwk] }, headers),
    changes: [
      async () => assertStatus(await world.operator.patch('/v1/operators/me', { public_jwks: [publicJwk] }), 200),
    ],
    fixed: either(IDS, /^passports_may_invoke$/),
  }),
  'destination.created': async (world) => {
    const { first, by } = await destinations(world);
    const body = { channel_type: 'email', destination: emailOf() };
    return {
      as: world.key,
      call: (as, headers) => as.post('/v1/notifications/destinations', body, headers),
      changes: [
        by(sql.fragment`update destinations set destination = 'https://hooks.example.com/y' where id = ${first}`),
        () => insertDestination(world.operator.operatorId),
      ],
      fixed: IDS,
    };
  },
  'destination.deleted': onDestination((as, path, headers) => as.delete(path, headers)),
  'destination.secret_rotated': onDestination((as, path, headers) =>
    as.post(`${path}/rotate-secret`, undefined, headers),
  ),
  'notification_rule.created': async (world) => {
    const made = await destinations(world);
    const { first, rule, by } = made;
    return {
      as: world.key,
      call: (as, headers) => as.post('/v1/notifications/channels', { destination_ids: [first] }, headers),
      changes: [
        ...changesOfRule(world, made),
        by(sql.fragment`update notification_rules set active = not active where id = ${rule}`),
      ],
      fixed: either(IDS, /channel_type$/),
    };
  },
  'notification_rule.changed': onRule((as, { path, second }, headers) =>
    as.patch(path, { destination_ids: [second] }, headers),
  ),
  'notification_rule.deleted': onRule((as, { path }, headers) => as.delete(path, headers)),
  // A claim is written once; what is erased is known by its digest.
  'claim.erased': async (world) => {
    const { id } = await submit(world.operator);
    return {
      as: world.key,
      call: (as, headers) => as.post(`/v1/claims/${id}/erase`, undefined, headers),
      changes: [],
      fixed: either(IDS, /^(?:digest|subject|claim_type)$/),
    };
  },
  'contents.erased': async (world) => ({
    as: world.key,
    call: (as, headers) => as.post('/v1/operators/me/erasure', undefined, headers),
    changes: [
      async () => assertStatus(await world.operator.patch('/v1/operators/me', { name: unique('renamed') }), 200),
    ],
    fixed: IDS,
  }),
  'inbound_endpoint.made_weak': newEndpoint({ policy: { mode: 'shadow' } }),
  'inbound_endpoint.outlives_maker': async (world) => ({
    ...(await newEndpoint({})(world)),
    as: await endingKey(world),
  }),
  'inbound_secret.outlives_maker': async (world) => ({
    ...(await onEndpoint(
      (as, { path }, headers) => as.post(`${path}/rotate-secret`, {}, headers),
      changesOfEndpoint,
    )(world)),
    as: await endingKey(world),
  }),
  'inbound_endpoint.loosened': onEndpoint(
    (as, { path }, headers) =>
      as.patch(path, { policy: { block_at: 'critical' }, forward_url: 'https://93.184.216.34/third' }, headers),
    changesOfEndpoint,
  ),
  'inbound_endpoint.secret_chosen': onEndpoint(
    (as, { path }, headers) => as.post(`${path}/rotate-secret`, { secret: 'chosen-by-a-bearer' }, headers),
    changesOfEndpoint,
  ),
  'inbound_event.replayed': onEndpoint(
    (as, { path, event }, headers) => as.post(`${path}/events/${event}/replay`, undefined, headers),
    (at) => [...changesOfVerdict(at), ...changesOfWay(at)],
    /^(?:verdict\..*|agent_id)$/,
  ),
  'inbound_finding.marked_harmless': onEndpoint(
    (as, { path, event }, headers) => as.post(`${path}/events/${event}/harmless`, { finding: 0 }, headers),
    changesOfVerdict,
    /^(?:finding\..*)$/,
  ),
  // The sum of a refund never changes; what ends it ends the case.
  'refund.settled_by_hand': onCase('refund', 'settle', { changesOf: () => [], fixed: /^amount_cents$/ }),
  'receivable.closed': onCase('receivable', 'close', {
    changesOf: (id) => [
      async () => {
        const pool = await database();
        const owner = await pool.oneFirst(
          sql.type(z.object({ operator_id: z.string() }))`select operator_id from receivables where id = ${id}`,
        );
        await credit(owner, 100);
      },
    ],
  }),
  'differing_payment.taken': onCase('differing_payment', 'take', { changesOf: changesOfDiffering }),
  'differing_payment.dismissed': onCase('differing_payment', 'dismiss', { changesOf: changesOfDiffering }),
  'payment_alarm.dismissed': onCase('alarm', 'dismiss', {
    changesOf: (id, by) => [
      by(sql.fragment`update billing_alarms set amount_cents = 5 where id = ${id}`),
      by(sql.fragment`update billing_alarms set news_at = clock_timestamp() where id = ${id}`),
      by(sql.fragment`update billing_alarms set created_at = created_at - interval '1 second' where id = ${id}`),
    ],
  }),
  'wallet.adjusted': async (world) => {
    const operator = await buildOperator({ cents: 100 });
    const set = (change: ReturnType<typeof sql.fragment>): Change =>
      sqlOf(world)(sql.fragment`update operators set ${change} where id = ${operator.operatorId}`);
    return {
      as: platform(),
      call: (as, headers) =>
        as.post(
          `/v1/admin/operators/${operator.operatorId}/adjustments`,
          { amount_cents: 5, description: 'x' },
          headers,
        ),
      changes: [
        set(sql.fragment`name = 'renamed'`),
        set(sql.fragment`email = ${emailOf()}`),
        set(sql.fragment`status = 'suspended'`),
      ],
      fixed: IDS,
    };
  },
};

/** The facts of a subject by their place, all elements of a list at one place. */
function factsOf(value: unknown, place = ''): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  const add = (at: string, more: string[]) => facts.set(at, [...(facts.get(at) ?? []), ...more]);
  if (Array.isArray(value)) {
    for (const one of value) for (const [at, values] of factsOf(one, `${place}[]`)) add(at, values);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value))
      for (const [at, values] of factsOf(one, place === '' ? name : `${place}.${name}`)) add(at, values);
  } else if (place !== '') add(place, [JSON.stringify(value)]);
  return facts;
}

describe('An approval of', function () {
  this.timeout(300_000);
  let platformPerson: Person;
  before(async () => {
    await buildPerson({ operatorId: 'op_platform' }, 'owner');
    platformPerson = await signIn('platform@carnet.invalid');
  });

  for (const act of Object.keys(governedActs) as GovernedAct[]) {
    it(`${act} lapses with every change of what its decider was shown, and each fact of it is changed once`, async () => {
      const operator = await buildOperator({ tier: 'business' });
      const owner = await signIn(operator.email);
      const made = await owner.post<{ key: string }>('/v1/api-keys', {
        name: unique('key'),
        kind: 'operator',
        role: 'admin',
      });
      const key = requester(assertStatus(made, 201).key);
      const { as, call, changes, fixed } = await walks[act]({ db: await database(), operator, key, owner });
      const person = governedActs[act].call.includes('/v1/admin/')
        ? platformPerson
        : await buildPerson(operator, 'owner'); // two pairs of eyes
      const look = async (id: string) => {
        const shown = await person.get<{ action: string; subject: unknown }>(`/v1/governance/approvals/${id}`);
        return assertStatus(shown, 200);
      };

      const first = await call(as, {});
      assert.equal(first.body['code'], 'GOVERNANCE_APPROVAL_REQUIRED', first.text);
      let { approval_id: id } = refusedWith(first);
      let shown = await look(id);
      assert.equal(shown.action, act);
      const untouched = new Set(factsOf(shown.subject).keys());
      for (const [nth, change] of changes.entries()) {
        assertStatus(await approve(person, id), 200);
        await change();
        const refused = await call(as, withApproval(id));
        const { approval_status: status, approval_id: next } = refusedWith(refused);
        assert.equal(status, 'subject_changed', `change ${nth}: ${refused.text}`);
        const before = factsOf(shown.subject);
        [id, shown] = [next, await look(next)];
        const now = factsOf(shown.subject);
        for (const place of untouched)
          if (JSON.stringify(before.get(place)) !== JSON.stringify(now.get(place))) untouched.delete(place);
      }
      assert.deepEqual(
        [...untouched].filter((place) => !fixed.test(place)),
        [],
        'each fact is changed, or is one of those that nothing changes',
      );
    });
  }
});
