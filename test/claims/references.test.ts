import assert from 'node:assert/strict';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { signIn } from '../support/people.ts';
import { assertProblem, assertStatus, platform, type Requester } from '../support/service.ts';
import { envelopeOf, intent, signal, submit, submitAndPlace } from './support.ts';

interface Page {
  claims: Claim[];
  next_cursor: string | null;
}

const cost = { wallet_cents: null, tokens: null, gas_gwei: null };
const outcome = (ref: string, status = 'succeeded') => ({
  claim_type: 'intent_outcome',
  payload: {
    type: 'intent_outcome',
    intent_claim_ref: ref,
    status,
    duration_ms: 0,
    cost_actual: cost,
    recorded_at: 1,
    outcome_type: 'task_complete',
  },
});

describe('GET /v1/claims?ref=', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });
  const idsOf = async (reader: Requester, query: string): Promise<string[]> =>
    assertStatus(await reader.get<Page>(`/v1/claims?${query}`), 200).claims.map(({ id }) => id);

  it('lists what names a claim, wherever its payload does, newest first', async () => {
    const { id } = await submit(operator, { claim_type: 'intent_claim', payload: intent() });
    const naming = [
      await submit(operator, outcome(id)),
      await submit(operator, { claim_type: 'detector_signal', payload: signal({ intent_claim_ref: id }) }),
      await submit(operator, { claim_type: 'intent_claim', payload: intent({ requires: ['pc_other', id, id] }) }),
      await submit(operator, {
        claim_type: 'intent_denial',
        payload: {
          type: 'intent_denial',
          attempted_intent: intent({ requires: [id] }),
          denial_reason: 'tier_limit',
          message: '',
          parameters_hash: 'a0'.repeat(32),
          denied_at: 1,
        },
      }),
      await submit(operator, {
        claim_type: 'entity_observation',
        payload: { type: 'entity_observation', intent_outcome_ref: id, agent_id: 'ag_1', observed_at: 1 },
      }),
    ].map((claim) => claim.id);
    await submit(operator, { claim_type: 'detector_signal', payload: signal({ metadata: { intent_claim_ref: id } }) });
    assert.deepEqual(await idsOf(operator, `ref=${id}`), naming.toReversed());
    assert.deepEqual(await idsOf(platform(), `ref=${id}`), naming.toReversed());
    assert.deepEqual(await idsOf(operator, `ref=${id}&claim_type=detector_signal`), [naming[1]]);
    assert.deepEqual(await idsOf(operator, 'ref=pc_other'), [naming[2]]);
    const first = assertStatus(await operator.get<Page>(`/v1/claims?ref=${id}&limit=2`), 200);
    assert.deepEqual(
      await idsOf(operator, `ref=${id}&limit=3&cursor=${first.next_cursor}`),
      naming.toReversed().slice(2),
    );
    assert.deepEqual(
      await idsOf(await buildOperator(), `ref=${id}`),
      [],
      'what others read is no more than without it',
    );
    assertProblem(await operator.get('/v1/claims?ref='), 'VALIDATION_ERROR', 'query.ref');
  });

  it('finds no reference longer than any index takes, and the claim is recorded', async () => {
    const ref = `pc_${'x'.repeat(50_000)}`;
    const { unresolved_refs: unresolved } = await submit(operator, outcome(ref));
    assert.deepEqual(unresolved, [ref]);
  });

  it('takes a thousand references in one claim', async () => {
    const requires = Array.from({ length: 1_000 }, (_none, at) => `pc_many-${at}`);
    const { id } = await submit(operator, { claim_type: 'intent_claim', payload: intent({ requires }) });
    for (const at of [0, 999]) assert.deepEqual(await idsOf(operator, `ref=pc_many-${at}`), [id]);
  });
});

describe('warnings of a claim', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });
  const warningsOf = async (id: string): Promise<string[]> =>
    (await operator.get<Claim>(`/v1/claims/${id}`)).body.warnings;

  it('say that the issuer has said before how the intent ended', async () => {
    const { id: ref } = await submit(operator, { claim_type: 'intent_claim', payload: intent() });
    const first = await submit(operator, outcome(ref, 'failed'));
    assert.deepEqual(first.warnings, []);
    const second = await submit(operator, outcome(ref, 'succeeded'));
    const third = await submit(operator, outcome(ref, 'timeout'));
    for (const { id, warnings } of [second, third]) {
      assert.deepEqual(warnings, [`An earlier claim of this issuer, ${first.id}, says how ${ref} ended.`]);
      assert.deepEqual(await warningsOf(id), warnings);
    }
    assert.deepEqual(await warningsOf(first.id), [], 'what came later changes no claim');
    const page = assertStatus(await operator.get<Page>(`/v1/claims?ref=${ref}`), 200);
    assert.deepEqual(
      page.claims.map(({ warnings }) => warnings.length),
      [1, 1, 0],
    );
  });

  it('say so of invocations, and nothing of what has only begun', async () => {
    const invocation = (status: string) => ({
      claim_type: 'skill_invocation',
      payload: {
        type: 'skill_invocation',
        invocation_id: 'inv_1',
        skill_id: 'skl_1',
        provider_operator_id: 'op_1',
        execution_mode: 'open',
        input_hash: 'x',
        status,
        at: 1,
      },
    });
    assert.deepEqual((await submit(operator, invocation('submitted'))).warnings, []);
    const first = await submit(operator, invocation('completed'));
    assert.deepEqual(first.warnings, []);
    assert.deepEqual((await submit(operator, invocation('submitted'))).warnings, []);
    assert.deepEqual((await submit(operator, invocation('failed'))).warnings, [
      `An earlier claim of this issuer, ${first.id}, says how inv_1 ended.`,
    ]);
  });

  it('look at claims of the same issuer alone, and at none that is erased', async () => {
    const { id: ref } = await submit(operator, { claim_type: 'intent_claim', payload: intent() });
    await submit(await buildOperator(), outcome(ref));
    const first = await submit(operator, outcome(ref));
    assert.deepEqual(first.warnings, []);
    assertStatus(await (await signIn(operator.email)).post(`/v1/claims/${first.id}/erase`), 200);
    assert.deepEqual((await submit(operator, outcome(ref))).warnings, []);
  });
});

describe('GET /v1/claims as NDJSON', () => {
  const ndjson = { accept: 'application/x-ndjson' };
  const linesOf = (text: string): Claim[] => {
    assert(text === '' || text.endsWith('\n'));
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Claim);
  };
  const nextOf = (headers: Headers): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

  it('has a claim a line, each as it is read alone, by the same filters', async () => {
    const operator = await buildOperator();
    const claims = [
      await submitAndPlace(operator, { payload: { text: 'a\nb\u2028' } }),
      await submitAndPlace(operator, { claim_type: 'detector_signal', payload: signal() }),
      await submitAndPlace(operator),
    ].toReversed();
    const reply = await operator.get('/v1/claims', ndjson);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
    assert.match(reply.headers.get('content-disposition') ?? '', /claims\.ndjson/);
    assert.equal(reply.headers.get('vary'), 'Accept');
    assert.deepEqual(linesOf(reply.text), claims);
    assert.equal(nextOf(reply.headers), undefined);
    const narrowed = await operator.get('/v1/claims?claim_type=detector_signal', ndjson);
    assert.deepEqual(linesOf(narrowed.text), [claims[1]]);
    assert.equal((await operator.get('/v1/claims?claim_type=dossier', ndjson)).text, '');
    assertProblem(await operator.get('/v1/claims?limit=0', ndjson), 'VALIDATION_ERROR', 'query.limit');
  });

  it('is read page after page by its Link header, regardless of its limit', async () => {
    const operator = await buildOperator();
    const expected: string[] = [];
    for (let at = 0; at < 7; at += 1) expected.unshift((await submit(operator)).id);
    for (const [query, pages] of [
      ['limit=1', 7],
      ['limit=3', 3],
      ['limit=7', 1],
      ['limit=100', 1],
    ] as const) {
      const found: string[] = [];
      let path: string | undefined = `/v1/claims?${query}`;
      let count = 0;
      while (path !== undefined) {
        const reply = await operator.get(path, ndjson);
        found.push(...linesOf(reply.text).map(({ id }) => id));
        path = nextOf(reply.headers);
        count += 1;
      }
      assert.deepEqual([found, count], [expected, pages], query);
    }
  });

  it('without a limit it has more than a page, and ends where it has 4 MiB', async function () {
    this.timeout(60_000);
    const operator = await buildOperator();
    await Promise.all(Array.from({ length: 120 }, () => operator.post('/v1/claims', envelopeOf(operator))));
    assert.equal(linesOf((await operator.get('/v1/claims', ndjson)).text).length, 120);
    const large = { claim_type: 'detector_signal', payload: signal({ metadata: { text: 'x'.repeat(261_000) } }) };
    await Promise.all(Array.from({ length: 12 }, () => operator.post('/v1/claims', envelopeOf(operator, large))));
    const first = await operator.get('/v1/claims', ndjson);
    const path = nextOf(first.headers);
    assert(path !== undefined);
    assert(Buffer.byteLength(first.text) < 5 * 1_048_576, `${Buffer.byteLength(first.text)}`);
    const all = [...linesOf(first.text), ...linesOf((await operator.get(path, ndjson)).text)];
    assert.equal(new Set(all.map(({ id }) => id)).size, 132);
  });
});
