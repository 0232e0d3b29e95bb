import assert from 'node:assert/strict';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { invocationRoutes } from '../../src/invocations/routes.ts';
import type { Invocation, InvocationSummary } from '../../src/invocations/schema.ts';
import { passDeadline } from '../billing/ledger/ledger-world.ts';
import { buildInvocation, buildOperator, buildSkill, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, requester, service } from '../support/service.ts';

interface Page {
  invocations: InvocationSummary[];
  next_cursor: string | null;
  has_more: boolean;
}

const MINE = '/v1/skills/invocations/mine';
const PROVIDED = '/v1/skills/invocations/provided';
const PENDING = '/v1/skills/invocations/pending';

describe('reading invocations', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let skillId: string;
  let otherSkillId: string;
  let made: string[];
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator();
    skillId = (await buildSkill(provider)).id;
    otherSkillId = (await buildSkill(provider)).id;
    made = [];
    for (const skill of [skillId, skillId, otherSkillId]) made.push((await buildInvocation(consumer, skill)).id);
    assertStatus(await provider.post(`/v1/skills/invocations/${made[1]}/claim`), 200);
  });

  const idsOf = (page: Page) => page.invocations.map(({ id }) => id);

  describe('GET /v1/skills/invocations/:id', () => {
    it('requires authentication', async () => {
      assertProblem(await anonymous().get(`/v1/skills/invocations/${made[0]}`), 'UNAUTHENTICATED');
    });

    it('is readable by consumer and provider alone', async () => {
      const path = `/v1/skills/invocations/${made[0]}`;
      const read = assertStatus(await consumer.get<Invocation>(path), 200);
      assert.deepEqual(assertStatus(await provider.get<Invocation>(path), 200), read);
      assert.deepEqual(read.input, { text: 'hello' });
      assertProblem(await (await buildOperator()).get(path), 'NOT_FOUND');
      assertProblem(await consumer.get('/v1/skills/invocations/inv_nothing'), 'NOT_FOUND');
    });

    it('shows the stored status past the deadline until something expires it', async () => {
      const { id } = await buildInvocation(consumer, skillId);
      await passDeadline(await database(), id);
      assert(
        ['pending', 'expired'].includes((await consumer.get<Invocation>(`/v1/skills/invocations/${id}`)).body.status),
      );
    });

    it('waits for the end with Prefer: wait', async () => {
      const { id } = await buildInvocation(consumer, skillId);
      const waiting = consumer.get<Invocation>(`/v1/skills/invocations/${id}`, { prefer: 'wait=30' });
      assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
      assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'HELLO' } }), 200);
      const reply = await waiting;
      assert.equal(assertStatus(reply, 200).status, 'completed');
      assert.equal(reply.headers.get('preference-applied'), 'wait=30');
    });

    it('answers what there is when the time is over', async () => {
      const { id } = await buildInvocation(consumer, skillId);
      const reply = await consumer.get<Invocation>(`/v1/skills/invocations/${id}`, { prefer: 'wait=1' });
      assert.equal(assertStatus(reply, 200).status, 'pending');
    });
  });

  describe('GET /v1/skills/invocations/mine', () => {
    it('requires authentication', async () => assertProblem(await anonymous().get(MINE), 'UNAUTHENTICATED'));

    it('lists what the caller invoked, newest first, without input and output', async () => {
      const buyer = await buildOperator();
      const ids = [];
      for (const skill of [skillId, otherSkillId]) ids.unshift((await buildInvocation(buyer, skill)).id);
      const page = assertStatus(await buyer.get<Page>(MINE), 200);
      assert.deepEqual(idsOf(page), ids);
      assert.deepEqual([page.has_more, page.next_cursor], [false, null]);
      for (const invocation of page.invocations) assert(!('input' in invocation) && !('output' in invocation));
      assert.deepEqual(idsOf(assertStatus(await provider.get<Page>(MINE), 200)), []);
    });

    it('filters by status and skill', async () => {
      assert.deepEqual(idsOf((await consumer.get<Page>(`${MINE}?status=processing`)).body), [made[1]]);
      assert.deepEqual(idsOf((await consumer.get<Page>(`${MINE}?skill_id=${otherSkillId}`)).body), [made[2]]);
      assertProblem(await consumer.get(`${MINE}?status=lost`), 'VALIDATION_ERROR', 'query.status');
    });

    it('continues by cursor where there are more than limit', async () => {
      const buyer = await buildOperator();
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) ids.unshift((await buildInvocation(buyer, skillId)).id);
      const seen: string[] = [];
      let cursor = '';
      for (let pages = 0; pages < 3; pages += 1) {
        const page = assertStatus(await buyer.get<Page>(`${MINE}?limit=2${cursor}`), 200);
        seen.push(...idsOf(page));
        assert.equal(page.has_more, pages < 2);
        cursor = `&cursor=${page.next_cursor}`;
      }
      assert.deepEqual(seen, ids);
      assertProblem(await buyer.get(`${MINE}?cursor=abc`), 'INVALID_CURSOR');
      assertProblem(await buyer.get(`${MINE}?limit=1001`), 'VALIDATION_ERROR', 'query.limit');
    });

    it('refuses the cursor of another operator or list', async () => {
      const { next_cursor } = (await consumer.get<Page>(`${MINE}?limit=1`)).body;
      assertProblem(await provider.get(`${MINE}?limit=1&cursor=${next_cursor}`), 'INVALID_CURSOR');
      assertProblem(await consumer.get(`${MINE}?limit=1&status=pending&cursor=${next_cursor}`), 'INVALID_CURSOR');
    });
  });

  describe('GET /v1/skills/invocations/provided', () => {
    it('requires authentication', async () => assertProblem(await anonymous().get(PROVIDED), 'UNAUTHENTICATED'));

    it('lists what was invoked of the caller’s skills: how a provider finds what it had claimed', async () => {
      assert.deepEqual(idsOf((await provider.get<Page>(`${PROVIDED}?status=processing`)).body), [made[1]]);
      const ofOther = (await provider.get<Page>(`${PROVIDED}?skill_id=${otherSkillId}`)).body;
      assert(
        idsOf(ofOther).includes(made[2] ?? '') &&
          ofOther.invocations.every((invocation) => invocation.skill_id === otherSkillId),
      );
      assert.deepEqual(idsOf((await consumer.get<Page>(PROVIDED)).body), []);
    });
  });

  describe('GET /v1/skills/invocations/pending', () => {
    it('requires authentication', async () => assertProblem(await anonymous().get(PENDING), 'UNAUTHENTICATED'));

    it('lists the work of the caller, oldest first', async () => {
      const worker = await buildOperator();
      const skill = await buildSkill(worker);
      const other = await buildSkill(worker);
      const ids = [];
      for (const target of [skill.id, other.id, skill.id]) ids.push((await buildInvocation(consumer, target)).id);
      assert.deepEqual(idsOf((await worker.get<Page>(PENDING)).body), ids);
      assert.deepEqual(idsOf((await worker.get<Page>(`${PENDING}?skill_id=${other.id}`)).body), [ids[1]]);
      const first = (await worker.get<Page>(`${PENDING}?limit=2`)).body;
      assert.deepEqual(idsOf(first), ids.slice(0, 2));
      assert.deepEqual(
        idsOf((await worker.get<Page>(`${PENDING}?limit=2&cursor=${first.next_cursor}`)).body),
        ids.slice(2),
      );
      assertStatus(await worker.post(`/v1/skills/invocations/${ids[0]}/claim`), 200);
      assert.deepEqual(idsOf((await worker.get<Page>(PENDING)).body), ids.slice(1));
      assert.deepEqual(idsOf((await consumer.get<Page>(PENDING)).body), []);
    });

    it('leaves out what is past its deadline', async () => {
      const worker = await buildOperator();
      const { id } = await buildInvocation(consumer, (await buildSkill(worker)).id);
      await passDeadline(await database(), id);
      assert.deepEqual(idsOf((await worker.get<Page>(PENDING)).body), []);
    });

    it('waits for work with Prefer: wait', async () => {
      const worker = await buildOperator();
      const skill = await buildSkill(worker);
      const poll = worker.get<Page>(PENDING, { prefer: 'wait=30' });
      const { id } = await buildInvocation(consumer, skill.id);
      const reply = await poll;
      assert.deepEqual(idsOf(assertStatus(reply, 200)), [id]);
      assert.equal(reply.headers.get('preference-applied'), 'wait=30');
      assert.deepEqual(idsOf((await (await buildOperator()).get<Page>(PENDING, { prefer: 'wait=1' })).body), []);
    });
  });

  it('marks in the OpenAPI document where Prefer: wait is honoured', () => {
    const operations = Object.values(openApiDocument(invocationRoutes).paths ?? {}).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string; parameters?: { $ref?: string }[] }>),
    );
    const waiting = operations.filter(({ parameters = [] }) =>
      parameters.some(({ $ref }) => $ref === '#/components/parameters/PreferWait'),
    );
    assert.deepEqual(waiting.map(({ operationId }) => operationId).toSorted(), [
      'getInvocation',
      'invokeSkill',
      'listPendingInvocations',
      'trySkill',
    ]);
  });

  describe('POST /v1/skills/:id/invoke with Prefer: wait', () => {
    it('answers 201 with the end, and a repetition with the state of now', async () => {
      const worker = await buildOperator();
      const skill = await buildSkill(worker);
      const headers = { prefer: 'wait=30', 'idempotency-key': 'waits' };
      const waiting = consumer.post<Invocation>(`/v1/skills/${skill.id}/invoke`, { input: { text: 'hello' } }, headers);
      const [work] = (await worker.get<Page>(PENDING, { prefer: 'wait=30' })).body.invocations;
      assert(work !== undefined);
      assertStatus(await worker.post(`/v1/skills/invocations/${work.id}/claim`), 200);
      assertStatus(await worker.post(`/v1/skills/invocations/${work.id}/complete`, { output: { text: 'HELLO' } }), 200);
      const reply = await waiting;
      const invocation = assertStatus(reply, 201);
      assert.deepEqual([invocation.status, invocation.output], ['completed', { text: 'HELLO' }]);
      assert.equal(reply.headers.get('preference-applied'), 'wait=30');
      const again = await consumer.post<Invocation>(
        `/v1/skills/${skill.id}/invoke`,
        { input: { text: 'hello' } },
        headers,
      );
      assert.equal(assertStatus(again, 201).status, 'completed');
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    });

    it('answers the pending snapshot when the time is over', async () => {
      const reply = await consumer.post<Invocation>(
        `/v1/skills/${skillId}/invoke`,
        { input: { text: 'hello' } },
        { prefer: 'wait=1' },
      );
      assert.equal(assertStatus(reply, 201).status, 'pending');
    });

    it('frees its place when the client goes away', async () => {
      const abort = new AbortController();
      const { id } = await buildInvocation(consumer, skillId);
      const gone = fetch(`${service().baseUrl}/v1/skills/invocations/${id}`, {
        headers: { authorization: `Bearer ${consumer.key}`, prefer: 'wait=60' },
        signal: abort.signal,
      });
      abort.abort();
      await assert.rejects(gone, { name: 'AbortError' });
      assertStatus(await requester(consumer.key).get(`/v1/skills/invocations/${id}`), 200);
    });
  });
});
