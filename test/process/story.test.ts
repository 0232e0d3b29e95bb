import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { eventually } from '../support/eventually.ts';
import { unique, type TestInvocation } from '../support/factories.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { openMarket, type Market } from '../support/market.ts';
import { assertProblem, assertStatus, database, service, type Reply } from '../support/service.ts';

const run = promisify(execFile);

/** Callers who want the same invocation. */
const RACERS = 30;

describe('the story', function () {
  this.timeout(600_000);
  let market: Market;
  let lives: Lives;

  before(async () => {
    const { baseUrl, databaseUrl, credentials } = service();
    market = await openMarket({ baseUrl, databaseUrl, adminKey: credentials.admin_api_key }, { cents: 100, price: 25 });
    lives = livesOf(credentials);
  });
  after(() => lives.close());

  /** The CLI that a person would type into, on the service's namespace. */
  const temporal = async (...args: string[]): Promise<string> => {
    const { dataDir, credentials } = service();
    const binary = await findTemporal({ dataDir, progress: () => undefined });
    const where = ['--address', credentials.temporal_address, '--namespace', credentials.temporal_namespace];
    return (await run(binary, [...args, ...where])).stdout;
  };
  const signal = (id: string, name: string, input?: unknown): Promise<string> =>
    temporal(
      'workflow',
      'signal',
      '--workflow-id',
      lifeId.invocation(id),
      '--name',
      name,
      ...(input === undefined ? [] : ['--input', JSON.stringify(input)]),
    );
  const detailsOf = (id: string, text: RegExp): Promise<string> =>
    eventually(
      `the life of ${id} to show ${text}`,
      async () => {
        const { currentDetails = '' } = await lives.client.workflow
          .getHandle(lifeId.invocation(id))
          .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
        return text.test(currentDetails) && currentDetails;
      },
      { ignoreErrors: () => true },
    );

  it('a skill is found, invoked for money, claimed by one of thirty, completed, and read', async () => {
    const name = unique('capitals');
    const description = `Turns a text into ${name.replaceAll('-', '')}`;
    assertStatus(await market.provider.patch(`/v1/skills/${market.skillId}`, { description }), 200);
    const found = await market.consumer.get<{ skills: { id: string }[]; total: number }>(
      `/v1/skills?search=${name.replaceAll('-', '')}`,
    );
    assert.deepEqual(
      assertStatus(found, 200).skills.map(({ id }) => id),
      [market.skillId],
    );

    const id = await market.pending();
    assert.deepEqual(
      await market.balance().then(({ balance_cents, held_cents }) => [balance_cents, held_cents]),
      [75, 25],
    );
    const provided = await market.provider.get<{ invocations: { id: string }[] }>('/v1/skills/invocations/pending');
    assert.deepEqual(
      assertStatus(provided, 200).invocations.map((row) => row.id),
      [id],
    );

    const claims = await Promise.all(
      Array.from({ length: RACERS }, (): Promise<Reply<TestInvocation>> => market.act(id, 'claim')),
    );
    assert.equal(claims.filter(({ status }) => status === 200).length, 1);
    for (const lost of claims.filter(({ status }) => status !== 200))
      assertProblem(lost as unknown as Reply, 'INVOCATION_NOT_PENDING');

    assert.equal(assertStatus(await market.act(id, 'complete'), 200).status, 'completed');
    assert.deepEqual((await market.show(id)).output, { text: 'HELLO' });
    assert.deepEqual(
      await market.balance().then(({ balance_cents, held_cents }) => [balance_cents, held_cents]),
      [75, 0],
    );
    await settled(await database(), [id]);
    await lives.closed([id]);
    await assertInvariants(await database(), [id]);
  });

  it('another is claimed and completed by signals typed into the CLI, and Temporal shows how far it is', async () => {
    const id = await market.pending();
    const { expires_at: expiresAt } = (await market.show(id)) as unknown as { expires_at: string };
    assert.equal(await detailsOf(id, /^Waits/), `Waits for claim or completion until ${expiresAt}.`);
    await signal(id, 'complete', { output: { text: 'too soon' } });
    assert.match(await detailsOf(id, /Refused/), /INVOCATION_NOT_PROCESSING/);
    await signal(id, 'claim', { lease_seconds: 600 });
    assert.match(await detailsOf(id, /^Claimed/), /attempt 1/);
    const waiting = market.consumer.get<TestInvocation & { output: unknown }>(`/v1/skills/invocations/${id}`, {
      prefer: 'wait=30',
    });
    await signal(id, 'complete', { output: { text: 'by hand' } });
    assert.deepEqual((await waiting).body.output, { text: 'by hand' });
    await lives.closed([id]);
    assert.match(await detailsOf(id, /^Ended/), /completed/);
    await settled(await database(), [id]);
    await assertInvariants(await database(), [id]);
  });

  it('describe tells what a life is, whose, and that it is over', async () => {
    const id = await market.pending();
    await detailsOf(id, /^Waits/);
    const description = await lives.client.workflow.getHandle(lifeId.invocation(id)).describe();
    assert.match((await description.staticSummary()) ?? '', /^skill-\w+ 1\.0\.0 for op_/);
    assert.match((await description.staticDetails()) ?? '', /price 25 cents/);
    const attributes = (from: typeof description) =>
      Object.fromEntries(from.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
    const { OperatorId, SkillId, LifeStatus } = attributes(description);
    assert.deepEqual([SkillId, LifeStatus], [market.skillId, 'open']);
    assert(Array.isArray(OperatorId) && OperatorId.length === 2 && OperatorId.includes(market.consumerId));
    assertStatus(await market.act(id, 'cancel'), 200);
    await lives.closed([id]);
    assert.equal(
      attributes(await lives.client.workflow.getHandle(lifeId.invocation(id)).describe()).LifeStatus,
      'ended',
    );
  });
});
