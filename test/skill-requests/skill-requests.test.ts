import assert from 'node:assert/strict';
import type { SkillRequest } from '../../src/skill-requests/schema.ts';
import { buildAgent, buildAgentKey, buildMemberKey, buildOperator, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../support/service.ts';
import { posted, postRequest, schemaOf } from './support.ts';

interface Board {
  skill_requests: SkillRequest[];
  total: number;
  limit: number;
  offset: number;
}

const faults: [fault: string, body: Record<string, unknown>, path: string][] = [
  ['no description', { description: undefined }, 'description'],
  ['an empty description', { description: '' }, 'description'],
  ['a description of 2,001 characters', { description: 'x'.repeat(2_001) }, 'description'],
  ['an input schema that is no object', { desired_input_schema: [] }, 'desired_input_schema'],
  [
    'an output schema that is refused in a skill',
    { desired_output_schema: { $ref: 'https://example.test/a' } },
    'desired_output_schema.$ref',
  ],
  ['a negative price', { max_price_cents: -1 }, 'max_price_cents'],
  ['a price in fractions', { max_price_cents: 1.5 }, 'max_price_cents'],
  ['eleven tags', { tags: Array.from({ length: 11 }, (_, at) => `t${at}`) }, 'tags'],
  ['a tag of 33 characters', { tags: ['x'.repeat(33)] }, 'tags.0'],
  ['a status', { status: 'open' }, 'status'],
];

describe('POST /v1/skill-requests', () => {
  let owner: TestOperator;

  before(async () => {
    owner = await buildOperator();
  });

  it('requires authentication', async () =>
    assertProblem(await anonymous().post('/v1/skill-requests', posted()), 'UNAUTHENTICATED'));

  it('is 409 for a key that stands for another request before the schema is found to be wrong', async () => {
    const key = { 'idempotency-key': 'post-once' };
    assertStatus(await owner.post('/v1/skill-requests', posted(), key), 201);
    const refused = posted({ desired_output_schema: { $ref: 'https://example.test/a' } });
    assertProblem(await owner.post('/v1/skill-requests', refused, key), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('posts an open request from a description alone', async () => {
    const reply = await owner.post<SkillRequest>('/v1/skill-requests', posted());
    const { id, created_at: createdAt, updated_at: updatedAt, ...request } = assertStatus(reply, 201);
    assert.match(id, /^rqt_[0-9A-Z]{26}$/);
    assert.equal(reply.headers.get('location'), `/v1/skill-requests/${id}`);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(request, {
      operator_id: owner.operatorId,
      description: 'Summaries of contracts',
      desired_input_schema: null,
      desired_output_schema: null,
      max_price_cents: null,
      tags: [],
      status: 'open',
    });
  });

  it('keeps everything as posted', async () => {
    const given = {
      description: '😀'.repeat(2_000),
      desired_input_schema: schemaOf('b', 'a'),
      desired_output_schema: {},
      max_price_cents: 0,
      tags: ['x', 'y'],
    };
    const { id } = await postRequest(owner, { ...given, tags: ['x', 'y', 'x'] });
    const request = assertStatus(await owner.get<SkillRequest>(`/v1/skill-requests/${id}`), 200);
    for (const [field, value] of Object.entries(given))
      assert.deepEqual(request[field as keyof SkillRequest], value, field);
  });

  for (const [fault, overrides, path] of faults) {
    it(`refuses ${fault}`, async () =>
      assertProblem(await owner.post('/v1/skill-requests', posted(overrides)), 'VALIDATION_ERROR', path));
  }

  it('is for members and agents too', async () => {
    await postRequest(await buildMemberKey(owner));
    const agent = await buildAgentKey(owner, (await buildAgent(owner)).id);
    assert.equal((await postRequest(agent)).operator_id, owner.operatorId);
  });
});

describe('GET /v1/skill-requests', () => {
  it('requires authentication', async () =>
    assertProblem(await anonymous().get('/v1/skill-requests'), 'UNAUTHENTICATED'));

  it('shows the board to anybody, newest first, page by page', async () => {
    const [owner, reader] = [await buildOperator(), await buildOperator()];
    const ids = [(await postRequest(owner)).id, (await postRequest(owner)).id, (await postRequest(owner)).id];
    const first = await reader.get<Board>('/v1/skill-requests?limit=2');
    const { skill_requests: newest, total, limit, offset } = assertStatus(first, 200);
    assert.deepEqual([newest.length, limit, offset], [2, 2, 0]);
    assert(total >= 3);
    assert.match(first.headers.get('link') ?? '', /offset=2.*rel="next"/);
    // Other files post to the board meanwhile, so that pages move on by what is new.
    const seen = new Set(newest.map(({ id }) => id));
    for (let at = 2; at < total && ids.some((id) => !seen.has(id)); at += 2) {
      const page = assertStatus(await reader.get<Board>(`/v1/skill-requests?limit=2&offset=${at}`), 200);
      for (const { id } of page.skill_requests) seen.add(id);
    }
    assert.deepEqual(
      [...seen].filter((id) => ids.includes(id)),
      ids.toReversed(),
    );
  });

  for (const status of ['open', 'closed', 'fulfilled'] as const) {
    it(`filters by ${status}`, async () => {
      const owner = await buildOperator();
      const { id } = await postRequest(owner);
      assertStatus(await owner.patch(`/v1/skill-requests/${id}`, { status }), 200);
      const { skill_requests: found } = assertStatus(
        await owner.get<Board>(`/v1/skill-requests?status=${status}`),
        200,
      );
      // Other files post to the board meanwhile, so it need not be the first.
      assert(found.some((request) => request.id === id));
      assert(found.every((request) => request.status === status));
    });
  }

  for (const [name, value] of [
    ['limit', '0'],
    ['limit', '101'],
    ['offset', '-1'],
    ['status', 'gone'],
  ]) {
    it(`refuses ${name}=${value}`, async () =>
      assertProblem(await platform().get(`/v1/skill-requests?${name}=${value}`), 'VALIDATION_ERROR', `query.${name}`));
  }
});

describe('GET /v1/skill-requests/:id', () => {
  it('requires authentication', async () =>
    assertProblem(await anonymous().get('/v1/skill-requests/rqt_x'), 'UNAUTHENTICATED'));
  it('answers 404 for an unknown request', async () => {
    for (const path of ['', '/matches', '/suggest'])
      assertProblem(await platform().get(`/v1/skill-requests/rqt_x${path}`), 'NOT_FOUND');
  });
  it('is for anybody', async () => {
    const request = await postRequest(await buildOperator());
    assert.deepEqual(
      assertStatus(await (await buildOperator()).get<SkillRequest>(`/v1/skill-requests/${request.id}`), 200),
      request,
    );
  });
});

describe('PATCH /v1/skill-requests/:id', () => {
  let owner: TestOperator;

  before(async () => {
    owner = await buildOperator();
  });

  it('requires authentication', async () =>
    assertProblem(await anonymous().patch('/v1/skill-requests/rqt_x', { status: 'closed' }), 'UNAUTHENTICATED'));
  it('is for the owner alone', async () => {
    const { id } = await postRequest(owner);
    for (const caller of [await buildOperator(), platform()])
      assertProblem(await caller.patch(`/v1/skill-requests/${id}`, { status: 'closed' }), 'NOT_OWNER');
    assertProblem(await owner.patch('/v1/skill-requests/rqt_x', { status: 'closed' }), 'NOT_FOUND');
  });
  for (const [fault, body] of [
    ['an empty body', {}],
    ['an unknown status', { status: 'done' }],
    ['an empty description', { description: '' }],
    ['tags', { tags: [] }],
  ] as const) {
    it(`refuses ${fault}`, async () =>
      assertProblem(
        await owner.patch(`/v1/skill-requests/${(await postRequest(owner)).id}`, body),
        'VALIDATION_ERROR',
      ));
  }

  const statuses = ['open', 'closed', 'fulfilled'] as const;
  for (const from of statuses) {
    for (const to of statuses) {
      it(`moves from ${from} to ${to}`, async () => {
        const { id } = await postRequest(owner);
        assertStatus(await owner.patch(`/v1/skill-requests/${id}`, { status: from }), 200);
        assert.equal(
          assertStatus(await owner.patch<SkillRequest>(`/v1/skill-requests/${id}`, { status: to }), 200).status,
          to,
        );
      });
    }
  }

  it('changes the description alone', async () => {
    const before = await postRequest(owner, { tags: ['x'] });
    const after = assertStatus(
      await owner.patch<SkillRequest>(`/v1/skill-requests/${before.id}`, { description: 'Other' }),
      200,
    );
    assert.deepEqual(after, { ...before, description: 'Other', updated_at: after.updated_at });
  });
});

for (const view of ['matches', 'suggest']) {
  describe(`GET /v1/skill-requests/:id/${view}`, () => {
    it('requires authentication', async () =>
      assertProblem(await anonymous().get(`/v1/skill-requests/rqt_x/${view}`), 'UNAUTHENTICATED'));
    it('is for anybody', async () => {
      const { id } = await postRequest(await buildOperator());
      assertStatus(await (await buildOperator()).get(`/v1/skill-requests/${id}/${view}`), 200);
    });
  });
}
