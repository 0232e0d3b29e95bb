import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { signIn, type Person } from '../../support/people.ts';
import { assertStatus, database } from '../../support/service.ts';
import { buildRule, deliveredTo, insertDestination } from '../support/operators.ts';

const Count = z.object({ count: z.number() });

describe('An event', () => {
  let operator: TestOperator;
  let owner: Person;
  beforeEach(async () => {
    operator = await buildOperator();
    owner = await signIn(operator.email);
  });

  const cases: [
    title: string,
    rule: Record<string, unknown>,
    event: [type: string, severity: string],
    matches: boolean,
  ][] = [
    ['of a type that it names', { events: ['agent.blocked'] }, ['agent.blocked', 'critical'], true],
    ['of another type', { events: ['agent.blocked'] }, ['passport.blocked', 'critical'], false],
    ['of a family that it names', { events: ['passport.*'] }, ['passport.missed_checkout', 'warning'], true],
    ['of another family', { events: ['passport.*'] }, ['agent.blocked', 'critical'], false],
    ['whose family begins like one that it names', { events: ['agent.*'] }, ['agents.blocked', 'critical'], false],
    ['that is optional, by its family', { events: ['invocation.*'] }, ['invocation.failed', 'warning'], true],
    ['that is optional, of a rule that names none', {}, ['invocation.failed', 'warning'], false],
    ['that is standard, of a rule that names none', {}, ['passport.flagged', 'warning'], true],
    ['as severe as it must be', { min_severity: 'warning' }, ['passport.flagged', 'warning'], true],
    ['more severe than it must be', { min_severity: 'warning' }, ['passport.flagged', 'critical'], true],
    ['less severe than it must be', { min_severity: 'warning' }, ['passport.flagged', 'info'], false],
    ['less severe than critical', { min_severity: 'critical' }, ['passport.flagged', 'warning'], false],
  ];
  for (const [title, body, [type, severity], matches] of cases) {
    it(`${title} is ${matches ? '' : 'not '}delivered to the destination of the rule`, async () => {
      const { destination_ids: ids } = await buildRule(owner, operator, body);
      assert.deepEqual(await deliveredTo(operator.operatorId, type, severity), matches ? ids : []);
    });
  }

  it('that several rules match is delivered once to each of their destinations', async () => {
    const [a, b, c] = [
      await insertDestination(operator.operatorId),
      await insertDestination(operator.operatorId),
      await insertDestination(operator.operatorId),
    ];
    await buildRule(owner, operator, { destination_ids: [a, b] });
    await buildRule(owner, operator, { destination_ids: [b, c], events: ['agent.*'] });
    await buildRule(owner, operator, { destination_ids: [c], events: ['agent.blocked'], min_severity: 'critical' });
    assert.deepEqual(await deliveredTo(operator.operatorId, 'agent.blocked', 'critical'), [a, b, c].toSorted());
    const pool = await database();
    const woken = await pool.anyFirst(sql.type(z.object({ life: z.string() }))`
      select life from lives where epoch is null and life = any(${sql.array(
        [a, b, c].map((id) => `notification:${id}`),
        'text',
      )})`);
    assert.equal(new Set(woken).size, 3, 'the life of each destination is woken');
  });

  it('is not delivered by a rule that is inactive, or deleted, or another operator’s', async () => {
    const inactive = await buildRule(owner, operator);
    await run(await database(), sql.fragment`update notification_rules set active = false where id = ${inactive.id}`);
    const deleted = await buildRule(owner, operator);
    assertStatus(await owner.delete(`/v1/notifications/channels/${deleted.id}`), 200);
    const other = await buildOperator();
    await buildRule(await signIn(other.email), other);
    assert.deepEqual(await deliveredTo(operator.operatorId, 'passport.flagged', 'critical'), []);
  });

  it('that its transaction takes back leaves no event, no delivery and no message', async () => {
    const { destination_ids: ids } = await buildRule(owner, operator);
    const pool = await database();
    const left = async (): Promise<number[]> => [
      await pool.oneFirst(
        sql.type(Count)`select count(*) from service_events where operator_id = ${operator.operatorId}`,
      ),
      await pool.oneFirst(sql.type(Count)`select count(*) from deliveries where operator_id = ${operator.operatorId}`),
      await pool.oneFirst(
        sql.type(Count)`select count(*) from lives where epoch is null and life = ${`notification:${ids[0] ?? ''}`}`,
      ),
    ];
    await assert.rejects(
      pool.transaction(async (transaction) => {
        await transaction.query(
          sql.type(
            z.object({}),
          )`select record_service_event(${operator.operatorId}, 'agent.blocked', 'critical', '{}')`,
        );
        throw new Error('taken back');
      }),
      /taken back/,
    );
    assert.deepEqual(await left(), [0, 0, 0]);
  });
});
