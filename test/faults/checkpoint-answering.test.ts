import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';
import { eventsOf, flagTypes, newLineage, type Lineage } from '../passports/lineages.ts';
import { unique } from '../support/factories.ts';
import { casesOf } from '../support/cases.ts';
import { startRole, type Role } from '../support/role.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { assertStatus, requester, type Reply } from '../support/service.ts';
import { isCommitted } from './fault-points.ts';

const REPORT = { services_used: ['undeclared'], actions_count: 1 };
const Count = z.object({ count: z.number() });

describe('kill -9 of an API that records a report or a decision', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  let database: OwnDatabase;
  let settings: Record<string, string>;
  let api: Role;
  let operator: { id: string; key: string };

  before(async () => {
    database = await ownDatabase();
    settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PLATFORM_ADMIN_KEY: randomBytes(18).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LOCAL_PROVIDERS: 'true',
    };
    api = await startRole('api', settings);
    const name = unique('operator');
    const made = await requester(settings.PLATFORM_ADMIN_KEY ?? '', api.baseUrl).post<{
      operator: { id: string };
      api_key: string;
    }>('/v1/operators', { name, email: `${name}@example.test` });
    const {
      operator: { id },
      api_key: key,
    } = assertStatus(made, 201);
    operator = { id, key };
  });
  after(async () => {
    await api.stop();
    await database.drop();
  });

  const at = (role: Role, path: string, { body, key }: { body: unknown; key?: string }): Promise<Reply> =>
    requester(operator.key, role.baseUrl).post(path, body, key === undefined ? {} : { 'idempotency-key': key });
  const reviewOf = async ({ jti }: Lineage): Promise<string> => {
    const reply = await at(api, `/v1/passports/${jti}/checkout`, { body: REPORT });
    assertStatus(reply, 201);
    return (reply.body as { checkout: { id: string } }).checkout.id;
  };

  interface Command {
    points: string[];
    /** The path and the body of the request. */
    prepare(lineage: Lineage): Promise<[path: string, body: unknown]>;
    status: number;
    /** The types of the events that one such command leaves for the operator. */
    events: string[];
    rows: string;
  }
  const commands: Record<string, Command> = {
    submitCheckpoint: {
      points: ['before', 'committed'],
      prepare: async ({ jti }) => [`/v1/passports/${jti}/checkpoint`, REPORT],
      status: 201,
      events: ['passport.flagged'],
      rows: 'checkpoints',
    },
    submitCheckout: {
      points: ['before', 'committed'],
      prepare: async ({ jti }) => [`/v1/passports/${jti}/checkout`, REPORT],
      status: 201,
      events: ['review.pending', 'passport.flagged'],
      rows: 'checkouts',
    },
    decidePassportReview: {
      points: ['before', 'before-commit', 'committed'],
      prepare: async (lineage) => [
        `/v1/passports/reviews/${await reviewOf(lineage)}/decide`,
        { decision: 'blocked', block_future: true },
      ],
      status: 200,
      events: ['review.pending', 'passport.flagged', 'passport.blocked', 'agent.blocked'],
      rows: 'checkouts',
    },
  };

  const cases = Object.entries(commands).flatMap(([operation, { points, ...command }]) =>
    points.map((name) => ({ point: `${operation}:${name}`, ...command })),
  );
  // All pass `runCommand`: `npm test` tries the one that writes most.
  for (const { point, prepare, status, events, rows } of casesOf(
    cases,
    (one) => one.point === 'decidePassportReview:committed',
  )) {
    itBeside(`at ${point}: the repeated call is answered, and it happened once`, async () => {
      const lineage = await newLineage(database.pool, { operator: operator.id });
      const [path, body] = await prepare(lineage);
      const key = unique('key');
      const dying = await startRole('api', { ...settings, FAULT_AT: point });
      await assert.rejects(at(dying, path, { body, key }), 'nobody answers');
      assert.equal(await dying.ended, 'SIGKILL');
      const first = await at(api, path, { body, key });
      assertStatus(first, status);
      assert.equal(first.headers.get('idempotency-replayed'), isCommitted(point) ? 'true' : null);
      assert.deepEqual((await at(api, path, { body, key })).body, first.body);
      const count = await database.pool.oneFirst(sql.type(Count)`
        select count(*) from ${sql.identifier([rows])} where lineage_id = ${lineage.jti}`);
      assert.equal(count, 1);
      assert.deepEqual(await flagTypes(database.pool, lineage), ['undeclared_service']);
      const written = (await eventsOf(database.pool, lineage)).filter(
        ({ payload }) => payload.agent_id === lineage.agent,
      );
      assert.deepEqual(
        written.map(({ event_type }) => event_type),
        events,
      );
    });
  }
});
