import assert from 'node:assert/strict';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { CheckpointBodySchema } from '../../../src/passports/accountability/schema.ts';
import { submitCheckout, submitCheckpoint } from '../../../src/passports/accountability/submit-report.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import {
  beforeAge,
  claimsOf,
  eventsOf,
  flagsOf,
  flagTypes,
  newLineage,
  newOperator,
  run,
  timePasses,
  type Lineage,
} from '../lineages.ts';

describe('flags of reports', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let operator: string;
  let connection: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    operator = await newOperator(db);
    connection = newId('con');
    await run(
      db,
      sql.fragment`
      insert into service_connections (id, operator_id, service_id, service_name, scopes)
      values (${connection}, ${operator}, 'github', 'GitHub', '{repo:read,repo:write,issues:write}')`,
    );
  });
  after(() => own.close());

  const services = () => [
    { service_id: 'github', service_name: 'GitHub', scopes: ['repo:read'], connection_id: connection },
    { service_id: 'slack', service_name: 'Slack', scopes: ['chat:write'], connection_id: 'con_gone' },
  ];
  const lineageWith = (overrides: Partial<Parameters<typeof newLineage>[1]> = {}) =>
    newLineage(db, { operator, services: services(), ...overrides });
  const report = (overrides: Record<string, unknown>) =>
    CheckpointBodySchema.parse({ services_used: [], actions_count: 1, ...overrides });
  const checkpoint = async ({ jti }: Lineage, overrides: Record<string, unknown>) =>
    (await submitCheckpoint(own.context, callOf(operator, 'submitCheckpoint'), { jti, body: report(overrides) })).body;
  const flagged = async (lineage: Lineage, overrides: Record<string, unknown>) =>
    (await checkpoint(lineage, overrides)).flags.map(({ type, severity }) => `${type} ${severity}`);

  describe('undeclared_service', () => {
    it('is raised for services that the passport does not have, by name or id, in services_used or tool_calls', async () => {
      assert.deepEqual(await flagged(await lineageWith(), { services_used: ['GitHub', 'github', 'slack'] }), []);
      assert.deepEqual(
        await flagged(await lineageWith(), { services_used: ['Github'] }),
        ['undeclared_service critical'],
        'exactly',
      );
      assert.deepEqual(await flagged(await lineageWith(), { tool_calls: [{ service: 'jira', method: 'x' }] }), [
        'undeclared_service critical',
      ]);
      assert.deepEqual(await flagged(await newLineage(db, { operator, services: [] }), { services_used: ['GitHub'] }), [
        'undeclared_service critical',
      ]);
    });

    it('is raised for services that the intent, if one was given, does not name', async () => {
      const intent = { summary: 'Read', services: ['GitHub'] };
      assert.deepEqual(
        await flagged(await lineageWith({ intent }), { services_used: ['github'] }),
        [],
        'by its id too',
      );
      assert.deepEqual(await flagged(await lineageWith({ intent }), { services_used: ['Slack'] }), [
        'undeclared_service critical',
      ]);
      const byId = { summary: 'Read', services: ['slack', 'jira'] };
      assert.deepEqual(await flagged(await lineageWith({ intent: byId }), { services_used: ['Slack'] }), []);
      assert.deepEqual(await flagged(await lineageWith({ intent: byId }), { services_used: ['jira'] }), [
        'undeclared_service critical',
      ]);
      const none = { summary: 'Think', services: [] };
      assert.deepEqual(await flagged(await lineageWith({ intent: none }), { services_used: ['Slack'] }), [
        'undeclared_service critical',
      ]);
    });

    it('names each service once and counts the rest, and is raised again by the next report', async () => {
      const lineage = await lineageWith();
      const services_used = ['a', 'b', 'b', 'c', 'd', 'e', 'f', 'g'];
      const { flags } = await checkpoint(lineage, { services_used });
      assert.deepEqual(
        flags.map(({ message }) => message),
        ['Used without being declared: a, b, c, d, e and 2 more.'],
      );
      await timePasses(db, lineage, 1);
      assert.deepEqual(await flagged(lineage, { services_used: ['a'] }), ['undeclared_service critical']);
    });
  });

  describe('scope_violation', () => {
    const calls = (...methods: string[]) => ({ tool_calls: methods.map((method) => ({ service: 'GitHub', method })) });
    it('is raised for a scope of the connection that the passport lacks', async () => {
      const { flags } = await checkpoint(await lineageWith(), calls('repo:write', 'issues:write', 'repo:read'));
      assert.deepEqual(
        flags.map(({ type, severity, message }) => [type, severity, message]),
        [
          [
            'scope_violation',
            'critical',
            'Called beyond the scopes of the passport: GitHub issues:write, GitHub repo:write.',
          ],
        ],
      );
    });

    it('is not raised for a method that is no scope, nor for a scope that another service has', async () => {
      assert.deepEqual(await flagged(await lineageWith(), calls('repo:read', 'GET /repos', 'chat:write')), []);
      assert.deepEqual(
        await flagged(await lineageWith(), { tool_calls: [{ service: 'slack', method: 'repo:write' }] }),
        [],
      );
    });

    it('takes every connection of a service id together', async () => {
      const both = [
        ...services(),
        { service_id: 'github', service_name: 'GitHub two', scopes: ['repo:write'], connection_id: connection },
      ];
      const call = (service: string) => ({ tool_calls: [{ service, method: 'repo:write' }] });
      assert.deepEqual(await flagged(await lineageWith({ services: both }), call('github')), []);
      assert.deepEqual(await flagged(await lineageWith({ services: both }), call('GitHub')), [
        'scope_violation critical',
      ]);
    });
  });

  describe('undeclared_delegation', () => {
    const intent = { summary: 'Alone', services: ['GitHub'] };
    it('is raised once for a lineage when work was delegated', async () => {
      const lineage = await lineageWith({ intent });
      assert.deepEqual(await flagged(lineage, { delegated_to: ['ag_helper'] }), ['undeclared_delegation warning']);
      await timePasses(db, lineage, 1);
      assert.deepEqual(await flagged(lineage, { delegated_to: ['ag_helper'] }), []);
    });

    it('is raised when a passport was delegated, even if the report does not mention it', async () => {
      const lineage = await lineageWith({ intent });
      await newLineage(db, { operator, parent: lineage });
      assert.deepEqual(await flagged(lineage, {}), ['undeclared_delegation warning']);
    });

    it('is not raised where the intent declares it, or no intent was given', async () => {
      assert.deepEqual(
        await flagged(await lineageWith({ intent: { ...intent, will_delegate: true } }), { delegated_to: ['x'] }),
        [],
      );
      assert.deepEqual(
        await flagged(await lineageWith({ intent: { ...intent, will_delegate: false } }), { delegated_to: ['x'] }),
        ['undeclared_delegation warning'],
      );
      assert.deepEqual(await flagged(await lineageWith(), { delegated_to: ['x'] }), []);
    });
  });

  it('duration_exceeded is raised once, when the estimated time is over', async () => {
    const intent = { summary: 'Quick', services: ['GitHub'], estimated_duration_seconds: 100.5 };
    const { lineage, done } = await beforeAge(db, 100.5, [
      () => lineageWith({ intent, interval: null, accountability: 'logged', age: 99 }),
      (one) => flagged(one, {}),
    ]);
    assert.deepEqual(done, []);
    await timePasses(db, lineage, 3);
    assert.deepEqual(await flagged(lineage, {}), ['duration_exceeded warning']);
    await timePasses(db, lineage, 3);
    assert.deepEqual(await flagged(lineage, {}), []);
  });

  it('several are raised together: a claim each, one event of the highest severity', async () => {
    const lineage = await lineageWith({
      intent: { summary: 'Alone', services: ['GitHub'] },
      missions: ['ms_one', 'ms_two'],
    });
    const { checkpoint: made, flags } = await checkpoint(lineage, {
      services_used: ['jira'],
      tool_calls: [{ service: 'GitHub', method: 'repo:write' }],
      delegated_to: ['ag_helper'],
    });
    assert.deepEqual(
      flags.map(({ type }) => type),
      ['undeclared_service', 'scope_violation', 'undeclared_delegation'],
    );
    const claims = await claimsOf(db, lineage, 'detector_signal');
    assert.deepEqual(
      claims.map(({ envelope }) => [envelope.payload.detector_key, envelope.payload.severity]),
      [
        ['undeclared_service', 'critical'],
        ['scope_violation', 'critical'],
        ['undeclared_delegation', 'medium'],
      ],
    );
    const [first] = claims;
    assert.equal(first?.passport_jti, null, 'a revocation does not take it');
    assert.deepEqual(
      { ...first.envelope.payload, detected_at: 0 },
      {
        type: 'detector_signal',
        detector_key: 'undeclared_service',
        severity: 'critical',
        pipeline: 'heuristic',
        agent_id: lineage.agent,
        metadata: { occasion: made.id, session_id: lineage.session },
        detected_at: 0,
      },
    );
    const events = (await eventsOf(db, lineage)).filter(({ payload }) => payload.agent_id === lineage.agent);
    assert.deepEqual(
      events.map(({ event_type, severity }) => [event_type, severity]),
      [['passport.flagged', 'critical']],
    );
    assert.equal((events[0]?.payload.flags as unknown[] | undefined)?.length, 3);
  });

  it('are judged at checkout too', async () => {
    const lineage = await lineageWith();
    const body = report({ services_used: ['jira'] });
    const { body: answer } = await submitCheckout(own.context, callOf(operator, 'submitCheckout'), {
      jti: lineage.jti,
      body,
    });
    assert.deepEqual(
      answer.flags.map(({ type }) => type),
      ['undeclared_service'],
    );
    assert.deepEqual(await flagTypes(db, lineage), ['undeclared_service']);
    assert.equal((await flagsOf(db, lineage))[0]?.occasion, answer.checkout.id);
  });
});
