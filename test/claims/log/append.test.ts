import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { z } from 'zod';
import { verifyBundle } from '../../../scripts/verify/checks.ts';
import { parseJson } from '../../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../../scripts/verify/keys.ts';
import { appendBatch, BATCH, publishLog } from '../../../src/claims/log/append.ts';
import { bundleOf } from '../../../src/claims/log/bundle.ts';
import { headFileOf, registeredFileOf } from '../../../src/claims/log/head-file.ts';
import { advanceLog, appendToLog, lookAfterLog } from '../../../src/claims/log/life.ts';
import { openedLogOf } from '../../../src/claims/log/log-key.ts';
import { consistencyOf, inclusionOf } from '../../../src/claims/log/proofs.ts';
import { findNewestCheckpoint } from '../../../src/claims/log/queries.ts';
import { receiptOf } from '../../../src/claims/log/receipts.ts';
import { logMetrics, troubleOfLog } from '../../../src/claims/log/stopped.ts';
import { readLoggedClaim } from '../../../src/claims/log/read-receipt.ts';
import { presentClaim } from '../../../src/claims/present-claims.ts';
import { findClaim } from '../../../src/claims/queries.ts';
import { verifyClaim } from '../../../src/claims/verify-claim.ts';
import { serviceCaller } from '../../../src/commands/caller.ts';
import type { Context } from '../../../src/context/context.ts';
import { createEncryption } from '../../../src/context/encryption.ts';
import { withCaches } from '../../../src/context/caches.ts';
import { sql } from '../../../src/database/pool.ts';
import { blockOf } from '../../support/pasted.ts';
import { healthPages } from '../../../src/http/pages/health-pages.ts';
import { metricsText } from '../../../src/metrics/metrics.ts';
import { receiveWitnessSignatures } from '../../../src/claims/log/witnesses/receive.ts';
import { parseNote } from '../../../src/claims/log/signed-note.ts';
import { parseVkey } from '../../../src/fields/verifier-key.ts';
import { WITNESS, witnessVkeys } from '../../support/witnesses.ts';
import { cosign } from './witnesses/witness.ts';
import { leafHash } from './rfc9162.ts';
import {
  assertWholeLog,
  backUpLog,
  ownLog,
  readCheckpoint,
  recordClaims,
  sizesOf,
  waitingLog,
  type OwnLog,
} from './support.ts';
import { looksAgainIn, lookAfterLives, makeDue } from '../../support/due-lives.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';

const Count = z.object({ count: z.number() });

describe('The log of claims', function () {
  this.timeout(120_000);
  let own: OwnLog;
  let context: Context;
  const clients: pg.Client[] = [];
  beforeEach(async () => {
    own = await ownLog();
    ({ context } = own);
  });
  // Also where a test has failed: a connection that is open when its database goes ends the whole run.
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    await own.close();
  });

  /** A connection beside the pool, as a person has it; it is closed after the test. */
  const connected = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: context.config.databaseUrl });
    clients.push(client);
    await client.connect();
    return client;
  };
  /** As pg_restore and people who change rows by hand connect: without triggers. */
  const withoutTriggers = async (): Promise<pg.Client> => {
    const client = await connected();
    await client.query(`set session_replication_role = replica`);
    return client;
  };

  const registeredFile = async (): Promise<string> =>
    registeredFileOf(context.config.logHeadDir, (await openedLogOf(context)).id);
  const headFile = async (): Promise<string> => headFileOf(context.config.logHeadDir, (await openedLogOf(context)).id);
  const messages = (): Promise<number> =>
    context.pool.oneFirst(sql.type(Count)`
      select count(*)::int as count from lives where epoch is null and life like 'log-sequencer:%'`);
  const append = async (count: number): Promise<string[]> => {
    const ids = await recordClaims(context, count);
    await appendBatch(context);
    await publishLog(context);
    return ids;
  };

  it('is made once, however many processes begin at the same time', async () => {
    const others = await Promise.all([own.another(), own.another(), own.another()]);
    const logs = await Promise.all([context, ...others].map(openedLogOf));
    assert.equal(new Set(logs.map(({ vkey }) => vkey)).size, 1);
    const empty = await findNewestCheckpoint(context.pool);
    assert.deepEqual(readCheckpoint(empty?.note ?? '', logs[0]?.x ?? ''), {
      origin: logs[0]?.origin,
      size: 0,
      root: createHash('sha256').digest(),
    });
  });

  it('gives every claim that waits one place, in batches, no matter what they are', async () => {
    for (const count of [1, 2, 5, 1, 8, 30]) await append(count);
    await assertWholeLog(context);
  });

  it('takes claims that were recorded before the log was there, more than a batch of them too', async () => {
    await recordClaims(context, 3);
    await context.pool.query(sql.unsafe`
      insert into log_pending (claim_id, leaf_hash) select 'pc_' || n, sha256(n::text::bytea) from generate_series(1, ${BATCH}) n`);
    assert.equal(await appendBatch(context), BATCH);
    assert.equal(await appendBatch(context), 3);
    assert.equal(await appendBatch(context), 0);
  });

  it('shows readers nothing before its head stands outside of the database', async () => {
    const [id = ''] = await recordClaims(context, 1);
    await appendBatch(context);
    assert.deepEqual(await sizesOf(context), { tree_size: 1, published_size: 0, pending: 0 });
    assert.equal(await receiptOf(context.pool, id), null);
    assert.equal(await inclusionOf(context.pool, id), null);
    await assert.rejects(consistencyOf(context.pool, 0, 1), { code: 'VALIDATION_ERROR' });
    assert.equal((await findNewestCheckpoint(context.pool))?.tree_size, 0);
    await publishLog(context);
    const head = await readFile(await headFile(), 'utf8');
    assert.equal(head, (await findNewestCheckpoint(context.pool))?.note);
    assert.equal((await receiptOf(context.pool, id))?.checkpoint, head);
  });

  it('gives a claim the same receipt for ever, byte for byte', async () => {
    const ids = await append(3);
    const before = await Promise.all(ids.map((id) => receiptOf(context.pool, id)));
    for (const count of [1, 4, 13]) await append(count);
    context.config.publicBaseUrl = 'https://elsewhere.example.com';
    await append(1);
    const other = await own.another();
    assert.deepEqual(await Promise.all(ids.map((id) => receiptOf(other.pool, id))), before);
    assert.equal(before[0]?.inclusion.treeSize, 3);
  });

  it('proves inclusion and consistency between any two published sizes, and refuses every other', async () => {
    const [first = ''] = await append(5);
    const [last = ''] = await append(2);
    assert.equal((await inclusionOf(context.pool, first, 1))?.treeSize, 1);
    assert.equal((await inclusionOf(context.pool, first))?.treeSize, 7);
    for (const size of [0, 5, 8, -1, 1.5, 2 ** 53]) {
      await assert.rejects(inclusionOf(context.pool, last, size), { code: 'VALIDATION_ERROR' }, `size ${size}`);
    }
    for (const [from, to] of [
      [1, 8],
      [5, 4],
      [-1, 3],
      [0.5, 3],
      [8, 8],
    ] as const) {
      await assert.rejects(consistencyOf(context.pool, from, to), { code: 'VALIDATION_ERROR' }, `${from} to ${to}`);
    }
    assert.deepEqual((await consistencyOf(context.pool, 0, 7)).hashes, []);
    assert.deepEqual((await consistencyOf(context.pool, 7, 7)).hashes, []);
  });

  it('never changes what it has', async () => {
    await append(2);
    for (const statement of [
      sql.unsafe`update log_nodes set hash = sha256('') where level = 0`,
      sql.unsafe`delete from log_entries`,
      sql.unsafe`update log_checkpoints set note = ''`,
      sql.unsafe`truncate log_checkpoints`,
      sql.unsafe`truncate log_nodes`,
    ]) {
      await assert.rejects(context.pool.query(statement), /append-only/);
    }
  });

  it('two sequencers in parallel, and three: one tree without a gap', async () => {
    const processes = [context, await own.another(), await own.another()];
    await Promise.all([
      ...processes.map((process) => recordClaims(process, 40)),
      ...processes.map((process) => appendToLog(process)),
      ...processes.map((process) => appendToLog(process)),
    ]);
    await appendToLog(context);
    await assertWholeLog(context);
    assert.equal(await readFile(await headFile(), 'utf8'), (await findNewestCheckpoint(context.pool))?.note);
  });

  it('a claim whose id is older than those that were appended, as its transaction committed later, is not lost', async () => {
    const slow = await connected();
    await slow.query('begin');
    await slow.query(`insert into log_pending (claim_id, leaf_hash) values ('pc_slow', sha256('slow'))`);
    await append(2);
    assert.deepEqual(await sizesOf(context), { tree_size: 2, published_size: 2, pending: 0 });
    await slow.query('commit');
    assert.equal(await appendBatch(context), 1);
    assert.equal((await sizesOf(context)).tree_size, 3);
  });

  it('a claim that is rolled back waits for nothing', async () => {
    await assert.rejects(
      context.pool.transaction(async (connection) => {
        await recordClaims({ pool: connection as never }, 1);
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    assert.equal(await appendBatch(context), 0);
  });

  describe('stops', () => {
    const backUp = async (name = 'older'): Promise<() => Promise<void>> => backUpLog(await connected(), name);

    const assertStopped = async (why: RegExp): Promise<void> => {
      const before = await sizesOf(context);
      const [id = ''] = await recordClaims(context, 1);
      assert.equal(await appendBatch(context), null);
      assert.equal(await publishLog(context), null);
      const after = await sizesOf(context);
      assert.deepEqual(after, { ...before, pending: before.pending + 1 }, 'claims are recorded, and wait');
      assert.equal(await receiptOf(context.pool, id), null);
      assert.match((await troubleOfLog(context)).stopped ?? '', why);
      assert.match(await metricsText(), /^carnet_log_stopped 1$/m);
      const { id: logId } = await openedLogOf(context);
      assert.equal((await advanceLog(context, logId)).status, 'stopped');
    };

    const assertRuns = async (): Promise<void> => {
      await appendBatch(context);
      await publishLog(context);
      assert.equal((await troubleOfLog(context)).stopped, null);
      assert.match(await metricsText(), /^carnet_log_stopped 0$/m);
      await assertWholeLog(context);
    };

    it('where a backup was restored that is older than what was published, and goes on with the newer one', async () => {
      await append(3);
      const restoreOlder = await backUp();
      await append(4);
      const restoreNewer = await backUp('newer');
      const head = await readFile(await headFile(), 'utf8');
      await restoreOlder();
      await assertStopped(
        /head of 7 entries was published .* the database has 3: it is an older copy.*restore a newer copy/i,
      );
      assert.equal(await readFile(await headFile(), 'utf8'), head, 'the head stays where it is');
      await restoreNewer();
      await append(2);
      await assertRuns();
    });

    it('where an older copy has grown into another branch meanwhile', async () => {
      await append(3);
      const restoreOlder = await backUp();
      await append(2);
      const path = await headFile();
      const head = await readFile(path, 'utf8');
      await restoreOlder();
      // Which is why a person must not delete them.
      await rm(path);
      await rm(await registeredFile());
      await append(4);
      await writeFile(path, head);
      await assertStopped(/not the beginning of the tree in the database: it is another branch/);
    });

    it('until another log was begun as docs/operations.md says, which has every claim and a key of its own', async () => {
      await append(3);
      const restoreOlder = await backUp();
      await append(2);
      await restoreOlder();
      await assertStopped(/it is an older copy/);
      const { kid } = await openedLogOf(context);
      const { code: statements } = await blockOf('docs/operations.md', 'a new log');
      const client = await connected();
      await client.query(statements);
      context = await own.another(); // the processes were stopped
      assert.notEqual((await openedLogOf(context)).kid, kid);
      await recordClaims(context, 1);
      await assertRuns();
    });

    it('where nodes of the tree are gone or changed', async () => {
      await append(5);
      const client = await connected();
      await client.query(`set session_replication_role = replica`);
      await client.query(`update log_nodes set hash = sha256('') where level = 2`);
      await assertStopped(/rows of log_nodes or log_checkpoints are gone or changed/);
    });

    it('where nodes in the middle were changed, as soon as a receipt of theirs is read, until they are as they were', async () => {
      const ids = await append(7);
      const others = await append(9);
      const receipts = () => Promise.all(ids.map((id) => receiptOf(context.pool, id)));
      const before = await receipts();
      const client = await withoutTriggers();
      await client.query(`create table kept_nodes as table log_nodes`);
      // Sixteen leaves have a node of their own, so that the root is not made of these.
      await client.query(`update log_nodes set hash = sha256('') where level = 1 and index in (0, 1)`);
      await append(1);
      assert.equal((await troubleOfLog(context)).stopped, null);
      const row = (await findClaim(context.pool, ids[0] ?? '')) ?? assert.fail();
      assert.equal(
        (await presentClaim(context.pool, row)).receipt,
        null,
        'nobody is shown a receipt that does not hold',
      );
      await assertStopped(/^The proof of entry 0 of the log does not lead to the root that was signed/);
      await assert.rejects(readLoggedClaim(context, ids[0] ?? ''), /does not lead to the root that was signed/);
      assert.equal((await receiptOf(context.pool, others[8] ?? ''))?.isWhole, true, 'others have theirs');
      await client.query(
        `update log_nodes n set hash = k.hash from kept_nodes k where k.level = n.level and k.index = n.index`,
      );
      await assertRuns();
      assert.deepEqual(await receipts(), before);
    });

    it('where a witness shows a tree that the log has signed and the database does not have', async () => {
      context.config.witnessKeys = Object.values(witnessVkeys).map(parseVkey);
      const noteNow = async (): Promise<string> => (await findNewestCheckpoint(context.pool))?.note ?? '';
      const path = await headFile();
      await append(3);
      const older = await readFile(path, 'utf8');
      const restoreOlder = await backUp();
      await append(4);
      const newer = await noteNow();
      const restoreNewer = await backUp('newer');
      const receive = (note: string) =>
        assert.rejects(receiveWitnessSignatures(context, Buffer.from(note)), { code: 'CONFLICT' });
      const { text } = parseNote(newer);
      const { ed25519: cosignature } = cosign(text, WITNESS);

      await restoreOlder();
      await writeFile(path, older);
      await rm(await registeredFile());
      await receive(`${text}\n${cosignature}`);
      assert.equal(await publishLog(context), 3, 'what the log did not sign proves nothing');
      await receive(newer + cosignature);
      await assertStopped(/The head of 7 entries was signed by a witness, and the database has 3: it is an older copy/);

      await restoreOlder();
      await append(5);
      await receive(newer + cosignature);
      await assertStopped(/The head of 7 entries that was signed by a witness is not the beginning of the tree/);
      await restoreNewer();
      await writeFile(path, older);
      await rm(await registeredFile());
      await assertRuns();
    });

    it('where a node of one receipt is gone, and goes on when it is back, with the same receipts', async () => {
      const ids = await append(7);
      await append(9);
      const before = await Promise.all(ids.map((id) => receiptOf(context.pool, id)));
      const client = await withoutTriggers();
      await client.query(`create table kept_nodes as table log_nodes`);
      await client.query(`delete from log_nodes where level = 0 and index = 2`);
      await append(0);
      assert.equal((await troubleOfLog(context)).stopped, null);
      await assert.rejects(receiptOf(context.pool, ids[3] ?? ''), /has no node 0\/2/);
      await assertStopped(/does not lead to the root that was signed|has no node 0\/2/);
      await client.query(`insert into log_nodes select * from kept_nodes where level = 0 and index = 2`);
      await append(1);
      await assertRuns();
      assert.deepEqual(await Promise.all(ids.map((id) => receiptOf(context.pool, id))), before);
    });

    it('where its folder cannot be written, and goes on when it can', async () => {
      await append(2);
      const path = await headFile();
      await mkdir(`${path}.new`); // what is written first
      await recordClaims(context, 1);
      assert.equal(await appendBatch(context), 1);
      assert.equal(await publishLog(context), null);
      await assertStopped(
        /The file log-head-\w+ of the log cannot be written \(EISDIR\)\. Let the user of the worker read and write LOG_HEAD_DIR/,
      );
      await rmdir(`${path}.new`);
      await assertRuns();
      const head = await readFile(path, 'utf8');
      await rm(path);
      await mkdir(path);
      await assertStopped(/The file log-head-\w+ of the log cannot be read \(EISDIR\)/);
      await rmdir(path);
      await writeFile(path, head);
      await assertRuns();
    });

    it('where the file is no head of this log, and runs again when it is back', async () => {
      await append(2);
      const path = await headFile();
      const head = await readFile(path, 'utf8');
      for (const wrong of ['', 'nonsense', head.replace('\n2\n', '\n3\n'), head.slice(0, -3)]) {
        await writeFile(path, wrong);
        assert.equal(await appendBatch(context), null, wrong);
      }
      await assertStopped(/is no checkpoint of the log carnet\.log\/log_.*Put the file back/);
      await writeFile(path, head);
      await assertRuns();
    });

    it('where nodes of the tree are gone, or root and nodes were changed together, with a head and without one', async () => {
      await append(5);
      const client = await connected();
      await client.query(`set session_replication_role = replica`);
      const path = await headFile();
      const head = await readFile(path, 'utf8');
      const forged = leafHash(Buffer.from('forged'));
      // The root of five leaves is made of the nodes 2/0 and 0/4.
      const four = (await client.query<{ hash: Buffer }>(`select hash from log_nodes where level = 2`)).rows[0]?.hash;
      const root = createHash('sha256')
        .update(Buffer.of(1))
        .update(four ?? assert.fail())
        .update(forged)
        .digest();
      const { rows } = await client.query<{ hash: Buffer }>(`select hash from log_nodes where level = 0 and index = 4`);
      const before = (await client.query<{ root_hash: Buffer }>(`select root_hash from claim_log`)).rows[0]?.root_hash;
      await client.query(`update log_nodes set hash = $1 where level = 0 and index = 4`, [forged]);
      await client.query(`update claim_log set root_hash = $1`, [root]);
      await rm(path);
      await assertStopped(/rows of log_nodes or log_checkpoints are gone or changed/);
      await writeFile(path, head);
      await assertStopped(/rows of log_nodes or log_checkpoints are gone or changed/);
      await client.query(`update log_nodes set hash = $1 where level = 0 and index = 4`, [rows[0]?.hash]);
      await client.query(`update claim_log set root_hash = $1`, [before]);
      await client.query(`create table kept_nodes as table log_nodes`);
      await client.query(`delete from log_nodes where level = 2`);
      await assertStopped(/has no node 2\/0: rows of log_nodes are gone or changed/);
      await client.query(`insert into log_nodes select * from kept_nodes where level = 2`);
      await assertRuns();
    });
  });

  describe('without its head outside of the database', () => {
    const unproven = async (): Promise<string | null> => (await troubleOfLog(context)).unproven;

    it('goes on with that of the database, and says so until a person confirms it', async () => {
      await publishLog(context);
      assert.equal(await unproven(), null, 'a new log has published nothing');
      await append(3);
      await rm(await headFile());
      context = await own.another(); // a new machine
      await append(1);
      assert.match((await unproven()) ?? '', /the head of 3 entries was taken from the database/);
      assert.match(await metricsText(), /^carnet_log_unproven 1$/m);
      const said = await unproven();
      await append(1);
      await rm(await headFile());
      await append(1);
      assert.equal(await unproven(), said, 'the first time stands');
      const pages = new Map(healthPages(context.pool, { logTrouble: () => troubleOfLog(context) }));
      const { status, body } = (await pages.get('/readyz')?.page({} as never)) ?? assert.fail();
      const shown = JSON.parse(String(body)) as Record<string, unknown>;
      assert.deepEqual([status, shown['log'], shown['log_unproven']], [200, 'unproven', said]);
      const { code: statement } = await blockOf('docs/operations.md', 'a confirmed head');
      const client = await connected();
      await client.query(statement);
      assert.equal(await unproven(), null);
      await append(1);
      assert.match(await metricsText(), /^carnet_log_unproven 0$/m);
      await assertWholeLog(context);
    });

    it('has noted that before there is a file again, wherever it is killed', async () => {
      await append(2);
      const path = await headFile();
      await rm(path);
      await mkdir(`${path}.new`); // what is written first
      assert.equal(await publishLog(context), null);
      assert.match((await troubleOfLog(context)).stopped ?? '', /cannot be written \(EISDIR\)/);
      assert.notEqual(await unproven(), null);
      await rmdir(`${path}.new`);
    });
  });

  it('wherever the clock goes: claims are appended, their life is woken, and receipts keep the time that they had', async () => {
    const { id } = await openedLogOf(context);
    const [first = ''] = await append(1);
    const before = await receiptOf(context.pool, first);
    for (const step of ['1 hour', '-1 hour']) {
      await advanceLog(context, id);
      await context.pool.query(sql.unsafe`update lives set due_at = due_at + ${step}::interval`);
      await recordClaims(context, 1);
      assert.equal(await messages(), 1);
      await append(1);
    }
    assert.deepEqual(await receiptOf(context.pool, first), before);
    await assertWholeLog(context);
  });

  it('after its clock was set back an hour: the newest checkpoint is the largest, and what was revoked is revoked', async () => {
    const [first = ''] = await append(1);
    const client = await connected();
    await client.query(`set session_replication_role = replica`);
    // As a batch that was registered an hour ahead, and has no signature of that yet.
    await client.query(`update log_checkpoints set created_at = created_at + interval '1 hour', registration = null`);
    await client.query(`update claim_log set registered_from = null`);
    await rm(await registeredFile());
    await client.query(`update claims set revoked_at = clock_timestamp() + interval '1 hour' where id = $1`, [first]);
    const [second = ''] = await append(1);
    await lookAfterLog(context);
    const [before, after] = [await receiptOf(context.pool, first), await receiptOf(context.pool, second)];
    const registered = [before, after].map((logged) => logged?.receipt.registered_at ?? assert.fail());
    assert((registered[0] ?? 0) > (registered[1] ?? 0) + 3_000, 'the later one is registered earlier');
    assert.equal((await findNewestCheckpoint(context.pool))?.tree_size, 2);
    const bundle = (await bundleOf(context, serviceCaller, first)) ?? assert.fail();
    const { revoked_at: revokedAt, as_of: asOf } = bundle.revocation;
    assert(Date.parse(revokedAt ?? '') > Date.parse(asOf));
    const trust = {
      logs: [parseVerifierKey(bundle.log.vkey)],
      policy: null,
      older: before?.checkpoint ?? null,
      consistency: null,
    };
    const failed = verifyBundle(parseJson(JSON.stringify(bundle)), trust).findings.filter(
      ({ outcome }) => outcome === 'failed',
    );
    assert.deepEqual(
      failed.map(({ check }) => check),
      ['revocation'],
    );
    const { status, errors } = await verifyClaim(context, serviceCaller, { claim_id: first });
    assert.deepEqual([status, errors.map(({ code }) => code)], ['invalid', ['REVOKED']]);
    assert.equal((await verifyClaim(context, serviceCaller, { claim_id: second })).status, 'valid');
    await assertWholeLog(context);
  });

  it('without a run claims are appended by the process that looks after lives, and published', async () => {
    const { id } = await openedLogOf(context);
    const ids = await recordClaims(context, 3);
    await advanceLog(context, id);
    await lookAfterLives(context);
    assert.equal((await sizesOf(context)).pending, 3, 'its life has just looked');
    await makeDue(context.pool, lifeId['log-sequencer'](id));
    await lookAfterLives(context);
    assert.notEqual(await receiptOf(context.pool, ids[2] ?? ''), null);
    assert.equal(await messages(), 1, 'and its run is woken');
    await assertWholeLog(context);
  });

  it('publishes what was appended and not published, where no claim comes any more', async () => {
    const { id } = await openedLogOf(context);
    const [claim = ''] = await recordClaims(context, 1);
    await advanceLog(context, id);
    await appendBatch(context); // and the process is gone
    assert.equal((await advanceLog(context, id)).status, 'waiting');
    await lookAfterLives(context);
    assert.equal((await sizesOf(context)).published_size, 0, 'its life has just looked');
    await makeDue(context.pool, lifeId['log-sequencer'](id));
    await lookAfterLives(context);
    assert.notEqual(await receiptOf(context.pool, claim), null);
    assert.equal((await advanceLog(context, id)).status, 'idle');
  });

  it('says that claims wait for too long, where nothing stops the log and still none is appended', async () => {
    const waiting = async (): Promise<number> =>
      Number(/^carnet_log_oldest_waiting_seconds ([\d.]+)$/m.exec(await logMetrics(context))?.[1]);
    const late = async (): Promise<string | null> => (await troubleOfLog(context)).late;
    await append(1);
    assert.deepEqual([await waiting(), await late()], [0, null]);
    await recordClaims(context, 1);
    assert((await waiting()) > 0);
    assert.equal(await late(), null, 'every claim waits for a second');
    const client = await withoutTriggers();
    await client.query(`update log_pending set created_at = created_at - interval '10 minutes'`);
    assert((await waiting()) >= 600);
    assert.match((await late()) ?? '', /has waited for 6\d\d seconds\. Look whether a worker runs/);
    const pages = new Map(healthPages(context.pool, { logTrouble: () => troubleOfLog(context) }));
    const { status, body } = (await pages.get('/readyz')?.page({} as never)) ?? assert.fail();
    const shown = JSON.parse(String(body)) as Record<string, unknown>;
    assert.deepEqual([status, shown['log']], [200, 'late']);
    await appendBatch(context); // and nobody publishes it
    await client.query(`update log_checkpoints set created_at = created_at - interval '10 minutes'`);
    assert((await waiting()) >= 600);
    await publishLog(context);
    assert.deepEqual([await waiting(), await late()], [0, null]);
  });

  it('is left in peace where nothing waits', async () => {
    const { id } = await openedLogOf(context);
    await advanceLog(context, id);
    await makeDue(context.pool, lifeId['log-sequencer'](id));
    await lookAfterLives(context);
    assert.equal(await messages(), 0);
    const next = (await looksAgainIn(context.pool, lifeId['log-sequencer'](id))) ?? 0;
    assert(next > 0 && next <= 10);
    await recordClaims(context, 1);
    assert.equal(await messages(), 1, 'a claim wakes the life itself');
    assert.equal((await advanceLog(context, id)).status, 'waiting');
    assert.equal(await messages(), 0);
    await append(0);
    assert.equal((await advanceLog(context, id)).status, 'idle');
  });

  it('signs with the same key after ENCRYPTION_KEY was rotated, and with none that opens it not', async () => {
    await append(1);
    const newKey = randomBytes(32);
    const rotated = withCaches({
      ...context,
      encryption: createEncryption([newKey, ...context.config.encryptionKeys]),
    });
    await recordClaims(rotated, 1);
    assert.equal(await appendBatch(rotated), 1);
    const alone = withCaches({ ...context, encryption: createEncryption([newKey]) });
    await recordClaims(alone, 1);
    assert.equal(await appendBatch(alone), 1, 'it was sealed anew');
    await publishLog(alone);
    await assertWholeLog(alone);
    const lost = withCaches({ ...context, encryption: createEncryption([randomBytes(32)]) });
    await recordClaims(lost, 1);
    assert.equal(await appendBatch(lost), null);
    assert.equal((await sizesOf(context)).pending, 1);
    assert.match((await troubleOfLog(context)).stopped ?? '', /No key of ENCRYPTION_KEY opens the key of the log/);
    assert.equal(await appendBatch(alone), 1, 'it goes on with the key');
    assert.equal((await troubleOfLog(context)).stopped, null);
  });

  it('keeps its private key nowhere in the clear', async () => {
    const { privateKey } = await openedLogOf(context);
    const { d = '' } = privateKey().export({ format: 'jwk' });
    const raw = Buffer.from(d, 'base64url');
    await waitingLog(context);
    await append(2);
    const client = await connected();
    const tables = await client.query<{ name: string }>(
      `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.push(...rows.map(({ row }) => row));
    }
    texts.push(await readFile(await headFile(), 'utf8'));
    for (const form of [d, raw.toString('hex'), raw.toString('base64').slice(0, 42)]) {
      assert(!texts.some((text) => text.includes(form)));
    }
    assert(
      texts.some((text) => text.includes('carnet.log/')),
      'the search sees the tables of the log',
    );
  });
});
