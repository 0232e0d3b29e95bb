import assert from 'node:assert/strict';
import { z } from 'zod';
import { withCaches } from '../../src/context/caches.ts';
import type { Context } from '../../src/context/context.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { publishSkill } from '../../src/skills/publishing/publish-skill.ts';
import { PublishSkillSchema } from '../../src/skills/schema.ts';
import { findSkill } from '../../src/skills/skill-cache.ts';
import { updateSkill } from '../../src/skills/publishing/update-skill.ts';
import { callOf, ownContext, type OwnContext } from '../invocations/own-context.ts';
import { eventually } from '../support/eventually.ts';
import { publication, unique } from '../support/factories.ts';

describe('the skills kept in memory', () => {
  let own: OwnContext;
  let id: string;

  before(async () => {
    own = await ownContext();
    await own.context.pool.query(
      sql.type(z.object({}))`insert into operators (id, name, email) values ('op_owner', 'Owner', 'o@example.test')`,
    );
    await eventually('announcements to be received', () => own.context.rowEvents.listening);
  });
  after(() => own.close());
  beforeEach(async () => {
    const body = PublishSkillSchema.parse(publication({ name: unique('kept') }));
    id = (await publishSkill(own.context, callOf('op_owner', 'publishSkill'), body)).body.id;
  });

  const setPrice = (price: number) =>
    updateSkill(own.context, callOf('op_owner', 'updateSkill'), { id, body: { price_per_invocation: price } });
  const priceIn = async (context: Context) => (await findSkill(context, id))?.row.price_per_invocation;

  /** The same context, whose reads are counted and, once read, held back until the gate opens. */
  const slowed = (gate: Promise<void> = Promise.resolve()) => {
    let reads = 0;
    const pool = new Proxy(own.context.pool, {
      get: (real, method: keyof DatabasePool) =>
        method !== 'maybeOne'
          ? real[method]
          : async (query: Parameters<DatabasePool['maybeOne']>[0]) => {
              reads += 1;
              const row = await real.maybeOne(query);
              await gate;
              return row;
            },
    });
    return { context: withCaches({ ...own.context, pool }), reads: () => reads };
  };

  it('are read once for all requests at the same time, and for those that follow', async () => {
    const { context, reads } = slowed();
    await Promise.all(Array.from({ length: 20 }, () => priceIn(context)));
    await priceIn(context);
    assert.equal(reads(), 1);
  });

  it('are read again once they changed', async () => {
    const { context } = slowed();
    for (const price of [1, 2, 3]) {
      await setPrice(price);
      assert.equal(await priceIn(context), price);
    }
  });

  it('are not what was read before a change and arrived after it', async () => {
    const gate = Promise.withResolvers<void>();
    const { context, reads } = slowed(gate.promise);
    const early = priceIn(context);
    await eventually('the read to begin', () => reads() === 1);
    await setPrice(7);
    gate.resolve();
    await early;
    assert.equal(await priceIn(context), 7);
  });

  it('are all read again when announcements may have been missed', async () => {
    const { context, reads } = slowed();
    await priceIn(context);
    own.context.rowEvents.changed('*');
    await priceIn(context);
    assert.equal(reads(), 2);
  });

  it('are not used while announcements are not received', async () => {
    const { context, reads } = slowed();
    const unannounced = withCaches({ ...context, rowEvents: { ...own.context.rowEvents, listening: false } });
    await priceIn(unannounced);
    await priceIn(unannounced);
    assert.equal(reads(), 2);
  });

  it('are never a skill that did not exist', async () => {
    const { context } = slowed();
    assert.equal(await findSkill(context, 'skl_none'), null);
  });
});
