import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createEncryption } from '../../src/context/encryption.ts';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import {
  deliveriesOf,
  newDestination,
  newOperator,
  newRule,
  recordEvents,
  type TestDestination,
} from '../notifications/support/destinations.ts';
import { roundsOf } from '../support/cases.ts';
import { unique } from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { childrenOf } from '../support/processes.ts';
import { requester } from '../support/service.ts';
import { noDelivery } from '../support/no-delivery.ts';

describe('Events while a part is away', function () {
  this.timeout(300_000);
  let instance: Instance;
  let pool: DatabasePool;
  before(async () => {
    instance = await startInstance();
    pool = await openPool(instance.databaseUrl, { size: 2, applicationName: 'carnet-test' });
  });
  after(async () => {
    await pool.end();
    await instance.stop();
    await removeDataDir(instance.dataDir);
  });

  /** The commit is announced to no process, as where the one that committed has died: the sweep finds its message. */
  const parts = () => ({
    pool,
    encryption: createEncryption([randomBytes(32)]), // a mailbox has nothing that is sealed
    delivery: noDelivery,
  });
  const newMailbox = async (): Promise<TestDestination & { address: string }> => {
    const address = `${unique('ada')}@example.test`;
    const operatorId = await newOperator(parts());
    const box = await newDestination(parts(), { operatorId, channel: 'email', destination: address });
    await newRule(parts(), { destinations: [box] });
    return { ...box, address };
  };
  const haveEnded = (box: TestDestination): Promise<unknown> =>
    eventually(
      'every delivery to have ended',
      async () => (await deliveriesOf(parts(), box)).every(({ status }) => status !== 'sending'),
      { seconds: 120, ignoreErrors: () => true },
    );
  const mailsTo = ({ address }: { address: string }): Promise<number> =>
    pool.oneFirst(
      sql.type(z.object({ count: z.number() }))`select count(*)::int from mails where recipient = ${address}`,
    );
  const pidIn = async (file: string): Promise<number> =>
    eventually(
      `a process in ${file}`,
      async () => Number.parseInt(await readFile(join(instance.dataDir, file), 'utf8'), 10),
      {
        ignoreErrors: () => true,
      },
    );

  it('a Temporal that hangs: each is written, and delivered when it is back', async () => {
    const temporal = await pidIn('temporal/server.pid');
    const box = await newMailbox();
    process.kill(temporal, 'SIGSTOP');
    try {
      await recordEvents(parts(), box.operatorId, { count: 5 });
      const readiness = () => requester(null, instance.baseUrl).get('/readyz');
      await eventually('Temporal to be missed', async () => (await readiness()).body.temporal === 'degraded');
      assert((await deliveriesOf(parts(), box)).every(({ status }) => status === 'sending'));
    } finally {
      process.kill(temporal, 'SIGCONT');
    }
    await haveEnded(box);
    assert.deepEqual(new Set((await deliveriesOf(parts(), box)).map(({ status }) => status)), new Set(['delivered']));
    assert.equal(await mailsTo(box), 5);
  });

  it('a Postgres that ends immediately: what was committed is delivered, each once at most', async () => {
    const box = await newMailbox();
    const committed: string[] = [];
    for (let round = 0; round < roundsOf(3, 1); round += 1) {
      committed.push(...(await recordEvents(parts(), box.operatorId, { count: 40 })));
      await eventually('some to be sent', async () => (await mailsTo(box)) > round * 40);
      const postmaster = await pidIn('postgres/data/postmaster.pid');
      process.kill(postmaster, 'SIGSTOP'); // it must not tidy up after its children
      for (const child of childrenOf(postmaster)) process.kill(child, 'SIGKILL');
      process.kill(postmaster, 'SIGKILL');
      await eventually('Postgres to be back', async () => (await mailsTo(box)) >= 0, {
        seconds: 60,
        ignoreErrors: () => true,
      });
    }
    await haveEnded(box);
    const rows = await deliveriesOf(parts(), box);
    assert.deepEqual(rows.map(({ event_id: id }) => id).toSorted(), committed.toSorted());
    const count = (status: string): number => rows.filter((row) => row.status === status).length;
    const sent = await mailsTo(box);
    assert.equal(count('delivered') + count('unknown'), rows.length);
    assert(sent >= count('delivered') && sent <= rows.length, `${sent} mails of ${rows.length} deliveries`);
  });
});
