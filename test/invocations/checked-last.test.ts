import assert from 'node:assert/strict';
import type { Context } from '../../src/context/context.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { actOnSignal } from '../../src/invocations/act-on-signal.ts';
import { actOf } from '../../src/invocations/act.ts';
import { completeInvocation } from '../../src/invocations/complete-invocation.ts';
import { invokeSkill } from '../../src/invocations/invoke-skill.ts';
import type { InvokeBody } from '../../src/invocations/schema.ts';
import { updateSkill } from '../../src/skills/publishing/update-skill.ts';
import { claim, newSkill, newWallet, run } from '../billing/ledger/ledger-world.ts';
import { callOf, ownContext, type OwnContext } from './own-context.ts';

/** A check may take a second of a thread that all callers share: what is refused anyway gets none. */
describe('A check against a schema', () => {
  let own: OwnContext;
  let context: Context;
  let db: DatabasePool;
  let [consumer, provider, stranger, skill] = ['', '', '', ''];
  let checks = 0;

  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    const { schemas } = own.context;
    context = {
      ...own.context,
      schemas: {
        ...schemas,
        checkSchema: (...args) => {
          checks += 1;
          return schemas.checkSchema(...args);
        },
        validate: (check) => {
          checks += 1;
          return schemas.validate(check);
        },
      },
    };
    [consumer, provider, stranger] = [await newWallet(db, 100), await newWallet(db), await newWallet(db)];
  });
  after(() => own.close());
  beforeEach(async () => {
    skill = await newSkill(db, provider, { price: 25 });
    checks = 0;
  });

  const invoke = (body: Partial<InvokeBody> = {}, id = skill, by = consumer) =>
    invokeSkill(context, callOf(by, 'invokeSkill'), { skillId: id, body: { input: {}, ...body } });
  const refused = async (code: string, call: Promise<unknown>): Promise<void> => {
    await assert.rejects(call, { code });
    assert.equal(checks, 0);
  };

  it('of an input comes after the skill, the agent, the price and the trust', async () => {
    await refused('NOT_FOUND', invoke({}, 'skl_nothing'));
    await refused('VALIDATION_ERROR', invoke({ agent_id: 'ag_nobody' }));
    await refused('PRICE_CHANGED', invoke({ max_price_cents: 24 }));
    await run(db, sql.fragment`update skills set trust_level_required = 'L2' where id = ${skill}`);
    await refused('TRUST_LEVEL_INSUFFICIENT', invoke());
    await run(db, sql.fragment`update skills set status = 'suspended' where id = ${skill}`);
    await refused('SKILL_NOT_ACTIVE', invoke());
    await run(db, sql.fragment`update skills set status = 'active', trust_level_required = 'L0' where id = ${skill}`);
    await invoke();
    assert.equal(checks, 1);
  });

  it('of an output comes after whose invocation it is', async () => {
    const { body } = await invoke();
    await claim(db, { provider, id: body.id });
    checks = 0;
    const complete = (by: string) =>
      completeInvocation(context, actOf(callOf(by, 'completeInvocation')), { id: body.id, body: { output: {} } });
    await refused('NOT_FOUND', complete(stranger));
    await refused('NOT_PROVIDER', complete(consumer));
    await complete(provider);
    assert.equal(checks, 1);
  });

  it('of an output that came by signal is made again when its provider has time for it', async () => {
    const { body } = await invoke();
    await claim(db, { provider, id: body.id });
    const complete = (using: Context) =>
      actOnSignal(using, body.id, { kind: 'complete', argument: { output: {} }, signalId: 'run/1' });
    const refusing = {
      ...context,
      schemas: {
        ...context.schemas,
        validate: () => Promise.reject(new CarnetError('RATE_LIMITED', 'The processor time is used up.')),
      },
    };
    await assert.rejects(complete(refusing), { code: 'RATE_LIMITED' });
    assert.deepEqual(await complete(context), {
      refused: null,
      answer: { status: 'completed', attempt: 1, lease_until: null },
    });
  });

  it('of a new schema comes after whose skill it is', async () => {
    const update = (by: string) =>
      updateSkill(context, callOf(by, 'updateSkill'), {
        id: skill,
        body: { version: '2.0.0', input_schema: { type: 'array' } },
      });
    await refused('NOT_OWNER', update(stranger));
    await update(provider);
    assert.equal(checks, 1);
  });

  it('is made of a repeated call that was answered, no matter what has become of the skill since', async () => {
    const idempotency = { key: 'again', fingerprint: Buffer.from('same') };
    const call = { ...callOf(consumer, 'invokeSkill'), idempotency };
    const first = await invokeSkill(context, call, { skillId: skill, body: { input: {} } });
    await run(db, sql.fragment`update skills set status = 'suspended' where id = ${skill}`);
    const again = await invokeSkill(context, call, { skillId: skill, body: { input: {} } });
    assert.deepEqual([again.replayed, again.body], [true, first.body]);
  });
});
