import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { canonicalJson } from '../../src/json/canonical.ts';
import type { JsonValue } from '../../src/json/value.ts';
import { postSkillRequest, updateSkillRequest } from '../../src/skill-requests/skill-requests.ts';
import { newWallet } from '../billing/ledger/ledger-world.ts';
import { envelopeOf } from '../claims/support.ts';
import { callOf, ownContext } from '../invocations/own-context.ts';
import { buildOperator, publication, unique, type TestOperator } from '../support/factories.ts';
import { assertStatus, database, type Reply } from '../support/service.ts';

/** Bytes of an answer under a key, however large the thing is that was answered. */
const SMALL = 4_000;
const SECRET = 'what lies in no answer';

describe('answers under an Idempotency-Key', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  const kept = async (key: string): Promise<string> =>
    (await database()).oneFirst(
      sql.type(z.object({ answer: z.string() }))`
        select answer from idempotency_keys where operator_id = ${operator.operatorId} and key = ${key}`,
    );
  const bodyOf = (reply: Reply): string => canonicalJson(reply.body as JsonValue);

  /** Sends it twice with one key, and something else between. */
  const assertSmallAndWhole = async (
    send: (key: { 'idempotency-key': string }) => Promise<Reply>,
    between: () => Promise<unknown>,
  ): Promise<void> => {
    const key = unique('kept');
    const first = await send({ 'idempotency-key': key });
    assert(first.status < 300, first.text);
    const answer = await kept(key);
    assert(answer.length < SMALL, `${answer.length} characters`);
    assert(!answer.includes(SECRET));
    await between();
    const again = await send({ 'idempotency-key': key });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(bodyOf(again), bodyOf(first));
  };

  const properties = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`member_${at}`, { type: 'string' }]));
  const schema = { type: 'object', properties };

  it('is no code and no schema of a skill, and is answered whole, as it was', async () => {
    const body = publication({
      input_schema: schema,
      execution_mode: 'sealed',
      execution_script: `// ${SECRET}\n${'x'.repeat(90_000)}`,
      execution_runtime: 'javascript',
      llm_config: { system_prompt: SECRET },
    });
    let id = '';
    const change = (): Promise<Reply> => operator.patch(`/v1/skills/${id}`, { description: 'Other', version: '1.0.1' });
    await assertSmallAndWhole(async (key) => {
      const reply = await operator.post<{ id: string }>('/v1/skills', body, key);
      ({ id } = reply.body);
      return reply;
    }, change);
    await assertSmallAndWhole(
      (key) => operator.patch(`/v1/skills/${id}`, { tags: ['one'], version: '1.0.1' }, key),
      () => operator.patch(`/v1/skills/${id}`, { input_schema: { type: 'object' }, version: '3.0.0' }),
    );
  });

  it('is no envelope of a claim', async () => {
    const envelope = envelopeOf(operator, { payload: { text: SECRET, filling: 'x'.repeat(30_000) } });
    let id = '';
    await assertSmallAndWhole(
      async (key) => {
        const reply = await operator.post<{ id: string }>('/v1/claims', envelope, key);
        ({ id } = reply.body);
        return reply;
      },
      async () => assertStatus(await operator.post(`/v1/claims/${id}/revoke`, { reason: 'x' }), 200),
    );
  });

  it('is no schema of a request for a skill', async () => {
    // On a database of its own: others look at all requests that there are.
    const own = await ownContext();
    try {
      const db = own.context.pool;
      const requester = await newWallet(db);
      const call = {
        ...callOf(requester, 'postSkillRequest'),
        idempotency: { key: 'kept', fingerprint: Buffer.from('same') },
      };
      const post = () =>
        postSkillRequest(own.context, call, { description: 'A skill', tags: [], desired_input_schema: schema });
      const first = await post();
      const answer = await db.oneFirst(sql.type(z.object({ answer: z.string() }))`select answer from idempotency_keys`);
      assert(answer.length < SMALL, `${answer.length} characters`);
      await updateSkillRequest(own.context, callOf(requester, 'updateSkillRequest'), {
        id: first.body.id,
        body: {
          status: 'closed',
        },
      });
      const again = await post();
      assert.deepEqual([again.replayed, again.body], [true, first.body]);
    } finally {
      await own.close();
    }
  });
});
