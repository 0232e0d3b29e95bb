import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { appendBatch, publishLog } from '../../../src/claims/log/append.ts';
import { headFileOf, registeredFileOf } from '../../../src/claims/log/head-file.ts';
import { openedLogOf, signCheckpoint } from '../../../src/claims/log/log-key.ts';
import { findNewestCheckpoint } from '../../../src/claims/log/queries.ts';
import { troubleOfLog } from '../../../src/claims/log/stopped.ts';
import type { Context } from '../../../src/context/context.ts';
import { parseWitnessPolicy } from '../../../src/context/witness-policy.ts';
import { healthPages } from '../../../src/http/pages/health-pages.ts';
import { metricsText } from '../../../src/metrics/metrics.ts';
import { witnessVkeys } from '../../support/witnesses.ts';
import { blockOf } from '../../support/pasted.ts';
import { assertWholeLog, backUpLog, ownLog, recordClaims, sizesOf, type OwnLog } from './support.ts';

// Tests what the file in LOG_HEAD_DIR says of the database, in every state that the two may have to each other.

describe('the head of the log outside of the database', function () {
  this.timeout(120_000);
  let own: OwnLog;
  let context: Context;
  let path: string;
  let client: pg.Client;
  beforeEach(async () => {
    own = await ownLog();
    ({ context } = own);
    path = headFileOf(context.config.logHeadDir, (await openedLogOf(context)).id);
    client = new pg.Client({ connectionString: context.config.databaseUrl });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await own.close();
  });

  /** Nobody is asked: the witness has no address. */
  const policy = parseWitnessPolicy(`witness w ${witnessVkeys.ed25519}\nquorum w\n`);
  const append = async (count: number): Promise<number | null> => {
    await recordClaims(context, count);
    await appendBatch(context);
    return publishLog(context);
  };
  const readiness = async (): Promise<Record<string, unknown>> => {
    const pages = new Map(healthPages(context.pool, { logTrouble: () => troubleOfLog(context) }));
    const { status, body } = (await pages.get('/readyz')?.page({} as never)) ?? assert.fail();
    assert.equal(status, 200);
    return JSON.parse(String(body)) as Record<string, unknown>;
  };
  const newestNote = async (): Promise<string> => (await findNewestCheckpoint(context.pool))?.note ?? '';
  const confirm = async (): Promise<void> => {
    await client.query((await blockOf('docs/operations.md', 'a confirmed head')).code);
  };
  const noteOf = async (size: number, root = Buffer.alloc(32, 1)): Promise<string> =>
    signCheckpoint(await openedLogOf(context), { size, root });

  /** Five entries are published. `stops`: no matter what the policy is. */
  const states: [string, () => Promise<void>, 'proves' | 'unproven' | { stops: RegExp }][] = [
    ['that has what was published', async () => undefined, 'proves'],
    [
      'that has more than was published, as after a crash before the commit',
      async () => {
        await recordClaims(context, 2);
        await appendBatch(context);
        const { rows } = await client.query<{ note: string }>(`select note from log_checkpoints where tree_size = 7`);
        await writeFile(path, rows[0]?.note ?? '');
      },
      'proves',
    ],
    ['that is not there', () => rm(path), 'unproven'],
    [
      'that is older than what was published',
      async () => {
        const { rows } = await client.query<{ note: string }>(`select note from log_checkpoints where tree_size = 3`);
        await writeFile(path, rows[0]?.note ?? '');
      },
      'unproven',
    ],
    [
      'of the empty tree',
      async () => {
        const { rows } = await client.query<{ note: string }>(`select note from log_checkpoints where tree_size = 0`);
        await writeFile(path, rows[0]?.note ?? '');
      },
      'unproven',
    ],
    [
      'that is older and of another tree',
      async () => writeFile(path, await noteOf(3)),
      { stops: /head of 3 entries .* is not the beginning of the tree in the database/ },
    ],
    [
      'of another tree of the same size',
      async () => writeFile(path, await noteOf(5)),
      { stops: /head of 5 entries .* is not the beginning of the tree in the database/ },
    ],
    [
      'of a larger tree than the one here',
      async () => writeFile(path, await noteOf(6)),
      { stops: /head of 6 entries was published .*, and the database has 5: it is an older copy/ },
    ],
  ];
  for (const [what, arrange, means] of states)
    for (const withPolicy of [false, true]) {
      const holds = withPolicy && means === 'unproven';
      const does = typeof means === 'object' ? 'stops' : holds ? 'publishes nothing' : 'goes on';
      const says = means === 'unproven' ? ', and says that it is unproven' : '';
      it(`${does} with a file ${what}, ${withPolicy ? 'with' : 'without'} a policy of witnesses${says}`, async () => {
        await append(3);
        await append(2);
        await arrange();
        const before = await readFile(path, 'utf8').catch(() => null);
        if (withPolicy) context.config.witnessPolicy = policy;
        const { published_size: published, pending } = await sizesOf(context);
        const size = await append(1);
        const shown = await readiness();
        if (does === 'goes on') {
          assert.equal(size, (await sizesOf(context)).tree_size);
          assert.equal(await readFile(path, 'utf8'), await newestNote());
          await assertWholeLog(context);
        } else {
          assert.equal(size, null);
          const after = await sizesOf(context);
          assert.deepEqual([after.published_size, after.pending], [published, pending + 1]);
          assert.equal(await readFile(path, 'utf8').catch(() => null), before, 'the file stays as it is');
        }
        if (typeof means === 'object') assert.match(String(shown['log_stopped']), means.stops);
        else assert.equal(shown['log_stopped'], undefined);
        assert.equal(
          shown['log'],
          typeof means === 'object' ? 'stopped' : { proves: undefined, unproven: 'unproven' }[means],
        );
        if (means !== 'unproven') return;
        assert.match(
          String(shown['log_unproven']),
          withPolicy
            ? /missing or older than the database, and the head of 5 entries was taken from the database.*nothing is published.*docs\/operations\.md/
            : /missing or older than the database, and the head of 5 entries was taken from the database.*the log has forked.*docs\/operations\.md/,
        );
        assert.match(await metricsText(), /^carnet_log_unproven 1$/m);
        await confirm();
        assert.equal(await append(1), 7);
        assert.deepEqual([(await readiness())['log'], await readFile(path, 'utf8')], [undefined, await newestNote()]);
        assert.match(await metricsText(), /^carnet_log_unproven 0$/m);
        await assertWholeLog(context);
      });
    }

  it('publishes nothing on an older copy that was restored with a file that is older still', async () => {
    await append(2);
    const older = await readFile(path, 'utf8');
    await append(3);
    const restore = await backUpLog(client, 'older');
    await append(4);
    await restore();
    await writeFile(path, older);
    await rm(registeredFileOf(context.config.logHeadDir, (await openedLogOf(context)).id));
    context.config.witnessPolicy = policy;
    assert.equal(await append(1), null);
    assert.deepEqual(await sizesOf(context), { tree_size: 5, published_size: 5, pending: 1 });
  });

  it('is unproven again where a copy is restored that was made between a confirmation and the next claim', async () => {
    await append(3);
    await rm(path);
    await publishLog(context);
    await confirm();
    await publishLog(context);
    const restore = await backUpLog(client, 'older');
    await append(4);
    await restore();
    for (const fileOf of [headFileOf, registeredFileOf])
      await rm(fileOf(context.config.logHeadDir, (await openedLogOf(context)).id));
    await publishLog(context);
    assert.equal((await readiness())['log'], 'unproven');
  });

  it('says why claims wait, and not that nobody knows why', async () => {
    await append(1);
    context.config.witnessPolicy = policy;
    await rm(path);
    await append(1);
    await client.query(`set session_replication_role = replica`);
    await client.query(`update log_pending set created_at = created_at - interval '10 minutes'`);
    const shown = await readiness();
    assert.deepEqual([shown['log'], shown['log_late']], ['unproven', undefined]);
  });
});
