import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import type { Erasure } from '../../src/retention/schema.ts';
import { purgeContents, type Place } from '../../src/retention/purge.ts';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { signal, submit } from '../claims/support.ts';
import { approveByHand, refusedWith, withApproval } from '../governance/support.ts';
import { newEndpoint, newEvent } from '../inbound/support/endpoints.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { newOperator } from '../notifications/support/destinations.ts';
import { buildInvocation, buildMemberKey, buildOperator, buildSkill, type TestOperator } from '../support/factories.ts';
import { buildPerson, type Person } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus, database } from '../support/service.ts';

const PATH = '/v1/operators/me/erasure';

describe('POST /v1/operators/me/erasure', () => {
  let db: DatabasePool;
  let operator: TestOperator;
  let owner: Person;
  let provider: TestOperator;
  let skill: string;
  before(async () => {
    db = await database();
    provider = await buildOperator();
    skill = (await buildSkill(provider)).id;
  });
  beforeEach(async () => {
    operator = await buildOperator();
    owner = await buildPerson(operator, 'owner');
  });

  const erased = async (): Promise<Erasure> => assertStatus(await owner.post<Erasure>(PATH), 200);
  const completed = async (consumer: TestOperator): Promise<string> => {
    const { id } = await buildInvocation(consumer, skill);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    const output = { text: 'HELLO' };
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output }), 200);
    return id;
  };
  const shown = async (id: string, by: TestOperator = operator): Promise<Invocation> =>
    assertStatus(await by.get<Invocation>(`/v1/skills/invocations/${id}`), 200);

  it('requires authentication, and an administrator', async () => {
    assertProblem(await anonymous().post(PATH), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(PATH), 'ADMIN_REQUIRED');
  });

  it('needs an owner: a key gets what one approves, and nothing is gone before', async () => {
    const id = await completed(operator);
    const refused = await operator.post(PATH);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: approval } = refusedWith(refused);
    assertProblem(await operator.get(PATH), 'NOT_FOUND');
    assert.deepEqual((await shown(id)).input, { text: 'hello' });
    await approveByHand(approval);
    assertStatus(await operator.post(PATH, undefined, withApproval(approval)), 200);
    assert.equal((await shown(id)).input, null);
  });

  it('takes input and output of what has ended, for consumer and provider, and leaves hashes, status and money', async () => {
    const [id, another] = [await completed(operator), await completed(provider)];
    const before = await shown(id);
    const { purged_at: ended } = await erased();
    assert.notEqual(ended, null);
    const after = await shown(id);
    const { contents_purged_at: at } = after;
    assert.notEqual(at, null);
    assert.deepEqual(after, { ...before, input: null, output: null, contents_purged_at: at });
    const { input_hash: hash, input } = await shown(id, provider);
    assert.deepEqual([hash, input], [before.input_hash, null]);
    assert.deepEqual((await shown(another, provider)).input, { text: 'hello' }, 'of another operator');
  });

  it('leaves what has not ended, which the provider still does', async () => {
    const { id } = await buildInvocation(operator, skill);
    await erased();
    assert.deepEqual((await shown(id, provider)).input, { text: 'hello' });
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
  });

  it('takes the payloads of the claims that it issued, each with a tombstone, and no tombstone', async () => {
    const claims = [
      await submit(operator),
      await submit(operator, { claim_type: 'detector_signal', payload: signal() }),
    ];
    await erased();
    for (const { id, digest, envelope } of claims) {
      const claim = assertStatus(await operator.get<Claim>(`/v1/claims/${id}`), 200);
      const { payload: _payload, ...rest } = envelope;
      assert.deepEqual([claim.digest, claim.envelope], [digest, rest]);
      const tombstone = assertStatus(await operator.get<Claim>(`/v1/claims/${claim.tombstone_id}`), 200);
      assert.deepEqual(tombstone.envelope.payload, {
        type: 'authority_erasure_tombstone',
        claim_id: id,
        digest,
        reason: 'Erased with all contents of its issuer.',
      });
    }
    const again = await erased();
    assert.notEqual(again.purged_at, null);
    const { count } = await db.one(sql.type(z.object({ count: z.number() }))`
      select count(*) as count from claims where operator_ids[1] = ${operator.operatorId} and claim_type = 'authority_erasure_tombstone'`);
    assert.equal(count, 2);
  });

  it('takes the texts of closed requests, and leaves open ones', async () => {
    const made = async (status: string): Promise<string> => {
      const body = { description: `a ${status} one`, tags: ['legal'], desired_input_schema: { type: 'object' } };
      const { id } = assertStatus(await operator.post<{ id: string }>('/v1/skill-requests', body), 201);
      assertStatus(await operator.patch(`/v1/skill-requests/${id}`, { status }), 200);
      return id;
    };
    const [closed, open] = [await made('closed'), await made('open')];
    await erased();
    const texts = async (id: string) => {
      const read = assertStatus(await operator.get(`/v1/skill-requests/${id}`), 200);
      return [read.description, read.tags, read.desired_input_schema];
    };
    assert.deepEqual(await texts(closed), ['Its operator has erased it.', [], null]);
    assert.deepEqual(await texts(open), ['a open one', ['legal'], { type: 'object' }]);
  });

  it('is an audit event, shown by GET, and repeatable: what came since is erased too', async () => {
    const first = await erased();
    assert.deepEqual(assertStatus(await operator.get<Erasure>(PATH), 200), first);
    const id = await completed(operator);
    const again = await erased();
    assert(again.kept_from > first.kept_from);
    assert.equal((await shown(id)).output, null);
    const audited = await db.anyFirst(sql.type(z.object({ from: z.string() }))`
      select detail ->> 'kept_from' as from from audit_events
      where operator_id = ${operator.operatorId} and action = 'contents.erased' order by id`);
    assert.deepEqual(audited, [first.kept_from, again.kept_from]);
  });

  describe('where it was not ended by its call', () => {
    let own: OwnContext;
    before(async () => {
      own = await ownContext();
    });
    after(() => own.close());

    it('is ended by the nightly run, which takes what came to inbound endpoints', async () => {
      const { context } = own;
      const endpoint = await newEndpoint(context, { operatorId: await newOperator(context, 'business') });
      const other = await newEndpoint(context, { operatorId: await newOperator(context, 'business') });
      for (const at of [endpoint, other]) await newEvent(context, at);
      await run(context.pool, sql.fragment`select begin_erasure(${endpoint.operatorId})`);
      for (let place: Place | null = { content: null, from: '' }; place !== null;) {
        const batch: Awaited<ReturnType<typeof purgeContents>> = await purgeContents(context, place);
        place = batch.next;
      }
      const left = await context.pool.anyFirst(
        sql.type(z.object({ operator_id: z.string() }))`select operator_id from inbound_contents`,
      );
      assert.deepEqual(left, [other.operatorId]);
      const ended = await context.pool.oneFirst(sql.type(z.object({ ended: z.boolean() }))`
        select purged_at is not null as ended from content_erasures`);
      assert(ended);
    });
  });
});
