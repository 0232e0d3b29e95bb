import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool, sql } from '../../../src/database/pool.ts';
import { assertLedger } from '../../../src/billing/index.ts';
import { newId } from '../../../src/ids/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { removeDataDir } from '../../support/data-dir.ts';
import { startInstance, type Instance } from '../../support/instance.ts';
import {
  checkoutSession,
  paymentEventBody,
  postPaymentEvent,
  signPaymentEvent,
  webhookSecretOf,
} from '../../support/payment-webhooks.ts';
import { childrenOf } from '../../support/processes.ts';
import { assertProblem, requester, type Reply } from '../../support/service.ts';

/** How many top-ups are paid; two senders send the event of each until it is accepted. */
const TOP_UPS = 30;

describe('Payment webhooks while Postgres ends and starts again', function () {
  this.timeout(240_000);
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(async () => {
    await instance.stop();
    await removeDataDir(instance.dataDir);
  });

  /** Kills every process of the server immediately, without a shut-down. */
  const endPostgres = async (): Promise<void> => {
    const file = join(instance.dataDir, 'postgres/data/postmaster.pid');
    const pid = await eventually('a postmaster', async () => Number.parseInt(await readFile(file, 'utf8'), 10), {
      ignoreErrors: () => true,
    });
    process.kill(pid, 'SIGSTOP'); // it must not tidy up after its children
    for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
  };

  it('are 503 meanwhile, so that the provider sends them again, and each payment is credited once', async () => {
    const { operator_id: operatorId } = instance.credentials;
    const ids = Array.from({ length: TOP_UPS }, () => newId('top'));
    const seeding = await openPool(instance.databaseUrl, { size: 1, applicationName: 'carnet-test' });
    await seeding.query(sql.unsafe`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      select id, ${operatorId}, 'local', 1000, 86400, 'http://carnet.test', clock_timestamp() + interval '1 day'
      from unnest(${sql.array(ids, 'text')}) as given (id)`);
    await seeding.end();

    const secret = webhookSecretOf(instance);
    const refused: Reply[] = [];
    const accepted = new Set<string>();
    const send = async (id: string): Promise<void> => {
      const metadata = { carnet_purpose: 'top_up', carnet_reference: id, carnet_operator: operatorId } as const;
      const body = paymentEventBody('checkout.session.completed', checkoutSession(metadata, { id: `cs_${id}` }));
      for (;;) {
        const reply = await postPaymentEvent(body, signPaymentEvent(body, { secret }), instance.baseUrl);
        if (reply.status === 200) return void accepted.add(id);
        refused.push(reply);
        if (reply.status !== 503) return;
      }
    };
    const sending = Promise.all(
      [0, 1].map(async () => {
        for (const id of ids) await send(id);
      }),
    );
    for (const count of [TOP_UPS / 3, (2 * TOP_UPS) / 3]) {
      await eventually('some to be accepted', () => accepted.size >= count, { seconds: 60 });
      await endPostgres();
    }
    await sending;

    assert(refused.length > 0, 'the webhooks have met the ends');
    for (const reply of refused) {
      assertProblem(reply, 'TEMPORARILY_UNAVAILABLE');
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    }
    const ready = requester(null, instance.baseUrl);
    await eventually('/readyz to be well', async () => (await ready.get('/readyz')).status === 200);
    const pool = await openPool(instance.databaseUrl, { size: 1, applicationName: 'carnet-test' });
    try {
      const credits = await pool.anyFirst(
        sql.unsafe`select cause from transfers where kind = 'topup' and wallet = ${operatorId}`,
      );
      assert.deepEqual(credits.map(String).toSorted(), ids.map(String).toSorted());
      await assertLedger(pool);
    } finally {
      await pool.end();
    }
  });
});
