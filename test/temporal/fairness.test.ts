import assert from 'node:assert/strict';
import { activityInfo } from '@temporalio/activity';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { Priority } from '../../temporal/lives.ts';
import { RETENTION } from '../../temporal/schedules.ts';
import { invoke, newSkill, newWallet } from '../billing/ledger/ledger-world.ts';
import { writeTestMail } from '../mail/write-test-mail.ts';
import { eventually } from '../support/eventually.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';

const HOSTILE = 200;
const HONEST = 5;

describe('Turns of operators', function () {
  this.timeout(300_000);
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  const allDelivered = () =>
    eventually(
      'all messages to be delivered',
      async () => {
        // One that Temporal was too busy to take is tried again.
        await rig.context.pool.query(sql.unsafe`update lives set ready = true where failure is not null and not ready`);
        rig.context.delivery.messagesCommitted();
        return rig.context.pool.oneFirst(
          sql.type(z.object({ none: z.boolean() }))`select not exists (select from lives where ready) as none`,
        );
      },
      { seconds: 200 },
    );

  it('let five runs of one operator pass most of two hundred that another has queued before', async () => {
    const db = rig.context.pool;
    const skill = await newSkill(db, await newWallet(db), { price: 0 });
    const [hostile, honest] = [await newWallet(db), await newWallet(db)];
    await rig.startDelivery({ sweep: false });
    const send = async (consumer: string, count: number): Promise<void> => {
      for (let nth = 0; nth < count; nth += 1) await invoke(db, { consumer, skill });
      rig.context.delivery.messagesCommitted();
      await allDelivered();
    };
    await send(hostile, HOSTILE);
    await send(honest, HONEST);
    await rig.startWorker();
    const Passed = z.object({ waiting: z.number(), before: z.number() });
    const look = async () => {
      const row = await db.one(sql.type(Passed)`
        select count(*) filter (where l.id is null)::int as waiting,
          count(*) filter (where consumer_operator_id = ${hostile} and l.created_at < (
            select max(created_at) from lives where owner = ${honest} and epoch is not null))::int as before
        from invocations i left join lives l on l.life = 'invocation:' || i.id and l.epoch is not null
        where consumer_operator_id in (${hostile}, ${honest})`);
      return row.waiting === 0 && row;
    };
    const { before } = await eventually('the runs of both to have begun', look, { seconds: 200 });
    // A worker takes some tens of tasks ahead.
    assert(before < HOSTILE / 3, `${before} of the other came first`);
  });

  it('are by the operator, in the priority of the kind, for the run and its steps', async () => {
    let ofStep: unknown;
    rig.config.mail = { smtpUrl: 'smtp://127.0.0.1:1', from: 'Carnet <carnet@example.test>' };
    await rig.startDelivery();
    await rig.startWorker({
      async sendMail() {
        ofStep = activityInfo().priority;
        throw new Error('made by the test');
      },
    });
    const { id } = await rig.invoke();
    await runOf(rig, id).showing(/^Waits/);
    const consumer = await rig.context.pool.oneFirst(
      sql.type(z.object({ id: z.string() }))`select consumer_operator_id as id from invocations where id = ${id}`,
    );
    const { priority } = await runOf(rig, id).handle.describe();
    assert.deepEqual([priority?.priorityKey, priority?.fairnessKey], [Priority.work, consumer]);

    const mail = await writeTestMail(rig.context, { to: 'a@example.test', subject: 'A word', text: 'x', seconds: 600 });
    await eventually('the step to run', () => ofStep !== undefined);
    const ofMail = (await runOf(rig, lifeId.mail(mail)).handle.describe()).priority;
    assert.equal(ofMail?.priorityKey, Priority.last);
    assert.equal((ofStep as { priorityKey?: number }).priorityKey, Priority.last, 'inherited');
  });

  it('leave the purge of what is old to the end', async () => {
    await rig.startDelivery();
    const { action } = await eventually(
      'the schedule to be there',
      () => rig.temporal.client.schedule.getHandle(RETENTION).describe(),
      { ignoreErrors: () => true },
    );
    assert.equal(action.priority?.priorityKey, Priority.last);
  });
});
