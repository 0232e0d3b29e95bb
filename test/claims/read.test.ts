import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { CLAIM_TYPES } from '../../src/claims/schema/payloads.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { anonymous, assertProblem, assertStatus, platform, type Requester } from '../support/service.ts';
import { intent, signal, submit, submitAndPlace } from './support.ts';

interface Page {
  claims: Claim[];
  next_cursor: string | null;
  has_more: boolean;
}

const list = async (reader: Requester, query = ''): Promise<Page> =>
  assertStatus(await reader.get<Page>(`/v1/claims?${query}`), 200);
/** The same when every claim of it has its place in the log. */
const listPlaced = (reader: Requester, query = ''): Promise<Page> =>
  eventually('every claim of the list to have its place', async () => {
    const page = await list(reader, query);
    return page.claims.every(({ log_index: index }) => index !== null) && page;
  });
const idsOf = async (reader: Requester, query = ''): Promise<string[]> =>
  (await list(reader, query)).claims.map(({ id }) => id);

describe('GET /v1/claims/:id', () => {
  let operator: TestOperator;
  let claim: Claim;
  before(async () => {
    operator = await buildOperator();
    claim = await submitAndPlace(operator, { payload: { secret: 'plan' } });
  });

  it('requires authentication', async () => {
    assertProblem(await anonymous().get(`/v1/claims/${claim.id}`), 'UNAUTHENTICATED');
  });

  it('answers the claim to its issuer, whichever key, and to the platform key', async () => {
    const agent = await buildAgent(operator);
    const keys = [operator, await buildMemberKey(operator), await buildAgentKey(operator, agent.id), platform()];
    for (const reader of keys) {
      assert.deepEqual(assertStatus(await reader.get(`/v1/claims/${claim.id}`), 200), claim);
    }
  });

  it('answers others its digest alone', async () => {
    const reply = await (await buildOperator()).get(`/v1/claims/${claim.id}`);
    assert.deepEqual(assertStatus(reply, 200), {
      id: claim.id,
      digest: claim.digest,
      log_index: claim.log_index,
      receipt: claim.receipt,
      revoked_at: null,
      erased_at: null,
      tombstone_id: null,
    });
    assert(!reply.text.includes('plan') && !reply.text.includes(operator.operatorId), reply.text);
  });

  it('answers a claim of the service in full to consumer and provider alone', async () => {
    const [provider, consumer, stranger] = [operator, await buildOperator({ cents: 10 }), await buildOperator()];
    const { id: invocation } = await buildInvocation(consumer, (await buildSkill(provider)).id);
    const query = `subject=carnet://invocation/${invocation}`;
    const [submitted] = (await listPlaced(consumer, query)).claims;
    assert(submitted !== undefined);
    for (const reader of [provider, platform()]) assert.deepEqual((await list(reader, query)).claims, [submitted]);
    assert.deepEqual(await idsOf(stranger, query), []);
    for (const reader of [consumer, provider]) {
      assert.deepEqual((await reader.get(`/v1/claims/${submitted.id}`)).body, submitted);
    }
    assert.equal('envelope' in (await stranger.get(`/v1/claims/${submitted.id}`)).body, false);
  });

  it('answers 404 for an unknown id', async () => {
    for (const id of ['pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD', 'pc_', 'nothing', `pc_${'x'.repeat(3_000)}`]) {
      assertProblem(await operator.get(`/v1/claims/${id}`), 'NOT_FOUND');
    }
  });
});

describe('GET /v1/claims', () => {
  let operator: TestOperator;
  let claims: Claim[];
  before(async () => {
    operator = await buildOperator();
    claims = [
      await submitAndPlace(operator, { subject: 'carnet://agent/ag_first', issued_at: 1_600_000_000 }),
      await submitAndPlace(operator, {
        issued_at: 1_600_000_100_000,
        payload: { agent_id: 'ag_2', mission_ref: 'ms_2' },
      }),
      await submitAndPlace(operator, {
        issued_at: 1_600_000_200,
        claim_type: 'detector_signal',
        payload: signal({ agent_id: 'ag_1', mission_ref: 'ms_1' }),
      }),
      await submitAndPlace(operator, {
        issued_at: 1_600_000_300,
        claim_type: 'intent_claim',
        payload: intent({ requires: ['pc_nowhere'] }),
      }),
      await submitAndPlace(operator, { issued_at: 1_600_000_400, payload: { agent_id: 7 } }),
    ];
  });
  const chosen = (...indexes: number[]): string[] => indexes.map((index) => claims[index]?.id ?? '');

  it('requires authentication', async () => {
    assertProblem(await anonymous().get('/v1/claims'), 'UNAUTHENTICATED');
  });

  it('answers the claims of the operator, newest first, each as it is read alone', async () => {
    assert.deepEqual(await list(operator), { claims: claims.toReversed(), next_cursor: null, has_more: false });
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assert.deepEqual(await idsOf(agentKey), chosen(4, 3, 2, 1, 0));
    assert.deepEqual(await idsOf(await buildOperator()), []);
  });

  const filters: [string, number[]][] = [
    ['subject=carnet://agent/ag_first', [0]],
    ['subject=carnet://agent/ag_1', [4, 3, 2, 1]],
    ['claim_type=detector_signal', [2]],
    ['claim_type=mission', [4, 1, 0]],
    ['claim_type=dossier', []],
    ['agent_id=ag_1', [3, 2]],
    ['agent_id=ag_2', [1]],
    ['agent_id=7', []],
    ['mission_ref=ms_1', [2]],
    ['mission_ref=ms_2&agent_id=ag_2', [1]],
    ['mission_ref=ms_2&agent_id=ag_1', []],
    ['issuer=op_platform', []],
    ['since=2020-09-13T12:28:20Z', [4, 3, 2, 1]],
    ['since=2020-09-13T12:28:20.001Z', [4, 3, 2]],
    ['until=2020-09-13T12:28:20Z', [0]],
    ['since=2020-09-13T12:29Z', [4, 3, 2]],
    ['until=2020-09-13', []],
    ['since=2020-09-13', [4, 3, 2, 1, 0]],
    ['since=2020-09-13T14:26:40%2B02:00&until=2020-09-13T12:31:40Z', [2, 1, 0]],
  ];
  for (const [query, indexes] of filters) {
    it(`narrows to ${query}`, async () => assert.deepEqual(await idsOf(operator, query), chosen(...indexes)));
  }

  it('narrows to the issuer', async () => {
    assert.deepEqual(await idsOf(operator, `issuer=${operator.operatorId}`), chosen(4, 3, 2, 1, 0));
    assert.deepEqual(await idsOf(platform(), `issuer=${operator.operatorId}&claim_type=mission`), chosen(4, 1, 0));
  });

  it('is read by cursor, page after page, while others are added', async () => {
    const seen: string[] = [];
    let query = 'limit=2';
    for (;;) {
      const reply = await operator.get<Page>(`/v1/claims?subject=carnet://agent/ag_1&${query}`);
      const page = assertStatus(reply, 200);
      seen.push(...page.claims.map(({ id }) => id));
      assert.equal(page.has_more, page.next_cursor !== null);
      assert.equal(reply.headers.get('link') !== null, page.has_more);
      if (page.next_cursor === null) break;
      query = `limit=2&cursor=${page.next_cursor}`;
      await submit(operator, { subject: 'carnet://agent/ag_1' });
    }
    assert.deepEqual(seen, chosen(4, 3, 2, 1));
  });

  it('refuses a cursor of another filter or operator', async () => {
    const { next_cursor: cursor } = await list(operator, 'limit=1&claim_type=mission');
    assert(cursor !== null);
    assertStatus(await operator.get(`/v1/claims?limit=3&claim_type=mission&cursor=${cursor}`), 200);
    assertProblem(await operator.get(`/v1/claims?limit=1&cursor=${cursor}`), 'INVALID_CURSOR', 'query.cursor');
    assertProblem(await platform().get(`/v1/claims?limit=1&claim_type=mission&cursor=${cursor}`), 'INVALID_CURSOR');
  });

  for (const [query, path] of [
    ['limit=0', 'query.limit'],
    ['limit=101', 'query.limit'],
    ['claim_type=nothing', 'query.claim_type'],
    ['since=yesterday', 'query.since'],
    ['until=2020-09', 'query.until'],
    ['subject=', 'query.subject'],
    ['agent_id=a&agent_id=b', 'query.agent_id'],
    ['ref=nonsense', 'query.ref'],
  ] as const) {
    it(`refuses ${query}`, async () =>
      assertProblem(await operator.get(`/v1/claims?${query}`), 'VALIDATION_ERROR', path));
  }

  it('ends a page at 4 MiB, and leads on to every claim', async function () {
    this.timeout(60_000);
    const issuer = await buildOperator();
    const large = Array.from({ length: 64 }, (_, at) => ({
      signer_kid: `unknown ${at}`,
      signer_role: 'witness',
      cose_sign1: Buffer.alloc(8 * 1024, at).toString('base64'),
    }));
    const ids: string[] = [];
    for (let nth = 0; nth < 7; nth += 1) ids.push((await submit(issuer, { co_signatures: large })).id);
    for (let nth = 0; nth < 3; nth += 1) ids.push((await submit(issuer)).id);
    const seen: string[][] = [];
    for (let query = 'limit=100'; ;) {
      const reply = await issuer.get<Page>(`/v1/claims?${query}`);
      const { claims: page, next_cursor: cursor, has_more: more } = assertStatus(reply, 200);
      seen.push(page.map(({ id }) => id));
      assert(reply.text.length < 6 * 1_048_576, `${reply.text.length} bytes`);
      assert.deepEqual([more, reply.headers.get('link') !== null], [cursor !== null, more]);
      if (cursor === null) break;
      query = `limit=100&cursor=${cursor}`;
    }
    assert.deepEqual(seen.flat(), ids.toReversed());
    assert.deepEqual(
      seen.map(({ length }) => length),
      [6, 3, 1],
      'a claim of 1.4 MB is never cut',
    );
    assert.equal((await list(issuer, 'limit=3')).claims.length, 3);
  });

  it('pages through what an operator issued and what concerns it as one list', async () => {
    const [provider, consumer] = [await buildOperator(), await buildOperator()];
    const skill = await buildSkill(provider, { price_per_invocation: 0 });
    for (let round = 0; round < 3; round += 1) {
      await submit(consumer);
      await buildInvocation(consumer, skill.id);
      await submit(provider);
      await buildInvocation(provider, skill.id);
    }
    for (const [reader, count] of [
      [consumer, 6],
      [provider, 9],
    ] as const) {
      const all = await listPlaced(reader);
      assert.equal(all.claims.length, count);
      const times = all.claims.map(({ created_at: createdAt }) => Date.parse(createdAt));
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      );
      const paged: Claim[] = [];
      for (
        let page = await list(reader, 'limit=2');
        ;
        page = await list(reader, `limit=2&cursor=${page.next_cursor ?? ''}`)
      ) {
        paged.push(...page.claims);
        if (!page.has_more) break;
      }
      assert.deepEqual(paged, all.claims);
    }
  });
});

describe('POST /v1/claims/:id/revoke', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  it('requires authentication', async () => {
    assertProblem(await anonymous().post('/v1/claims/pc_1/revoke'), 'UNAUTHENTICATED');
  });

  it('marks the claim and does not change it', async () => {
    const claim = await submitAndPlace(operator);
    const revoked = assertStatus(
      await operator.post<Claim>(`/v1/claims/${claim.id}/revoke`, { reason: 'mistaken' }),
      200,
    );
    assert(Math.abs(Date.parse(revoked.revoked_at ?? '') - Date.now()) < 60_000);
    assert.deepEqual(revoked, { ...claim, revoked_at: revoked.revoked_at, revoke_reason: 'mistaken' });
    assert.deepEqual((await operator.get(`/v1/claims/${claim.id}`)).body, revoked);
    assert.equal((await (await buildOperator()).get(`/v1/claims/${claim.id}`)).body.revoked_at, revoked.revoked_at);
    const again = await operator.post<Claim>(`/v1/claims/${claim.id}/revoke`, { reason: 'another' });
    assert.deepEqual(assertStatus(again, 200), revoked, 'the first revocation stands');
    const duplicate = await operator.post<Claim>('/v1/claims', claim.envelope);
    assert.deepEqual(assertStatus(duplicate, 200), revoked, 'and submitting it again does not undo it');
  });

  it('needs no reason', async () => {
    const { id } = await submit(operator);
    assert.equal(assertStatus(await operator.post<Claim>(`/v1/claims/${id}/revoke`), 200).revoke_reason, null);
  });

  it('is for the issuer alone', async () => {
    const { id } = await submit(operator);
    for (const other of [await buildOperator(), platform()]) {
      assertProblem(await other.post(`/v1/claims/${id}/revoke`), 'NOT_OWNER');
    }
    const skill = await buildSkill(operator);
    const invocation = await buildInvocation(operator, skill.id);
    const [ofTheService = ''] = await idsOf(operator, `subject=carnet://invocation/${invocation.id}`);
    assertProblem(await operator.post(`/v1/claims/${ofTheService}/revoke`), 'NOT_OWNER');
    assert.equal((await operator.get(`/v1/claims/${ofTheService}`)).body.revoked_at, null);
    assertProblem(await operator.post('/v1/claims/pc_nothing/revoke'), 'NOT_FOUND');
  });

  it('names the faults in the body', async () => {
    const { id } = await submit(operator);
    assertProblem(await operator.post(`/v1/claims/${id}/revoke`, { reason: '' }), 'VALIDATION_ERROR', 'reason');
    assertProblem(await operator.post(`/v1/claims/${id}/revoke`, { cause: 'x' }), 'VALIDATION_ERROR', 'cause');
  });
});

describe('GET /v1/claims/schemas', () => {
  it('lists thirty types, each with a schema that can be read and kept', async () => {
    const reply = await anonymous().get<{
      envelope: string;
      schemas: { claim_type: string; schema: string; path: string }[];
    }>('/v1/claims/schemas');
    const { envelope, schemas } = assertStatus(reply, 200);
    assert.notEqual(reply.headers.get('etag'), null);
    assert.deepEqual(
      schemas.map(({ claim_type: type }) => type),
      CLAIM_TYPES,
    );
    assert.equal(schemas.filter(({ schema }) => schema === 'v1').length, 14);
    for (const path of [envelope, ...schemas.map((one) => one.path)]) {
      const read = await anonymous().get(path);
      assert.equal(assertStatus(read, 200).$schema, 'https://json-schema.org/draft/2020-12/schema');
      new Ajv2020({ strict: false }).compile(read.body);
      assert.equal(read.headers.get('cache-control'), 'public, max-age=3600');
      const etag = read.headers.get('etag') ?? '';
      assert.equal((await anonymous().get(path, { 'if-none-match': etag })).status, 304);
    }
  });

  it('describes what the service checks of a type without a shape', async () => {
    const fits = new Ajv2020({ strict: false }).compile((await anonymous().get('/v1/claims/schemas/mission')).body);
    for (const payload of [null, 1, [], {}, { type: 'mission' }]) assert(fits(payload));
    assert(!fits({ type: 'dossier' }));
  });

  it('answers 404 for a type that does not exist', async () => {
    for (const type of ['nothing', 'toString', '__proto__']) {
      assertProblem(await anonymous().get(`/v1/claims/schemas/${type}`), 'NOT_FOUND');
    }
  });
});
