import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { appendBatch, publishLog } from '../../src/claims/log/append.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { openContext, type OpenContext } from '../../src/process/open-context.ts';
import { recordClaims } from '../claims/log/support.ts';
import { serve } from '../passports/own-service.ts';
import { ampleLimits } from '../support/ample-limits.ts';
import { copyOfDatabase, migratedDatabase } from '../support/empty-database.ts';
import { startProgram } from '../support/process.ts';

describe('the monitor of a service whose database was copied', function () {
  this.timeout(120_000);
  const encryptionKey = randomBytes(32);
  const ends: (() => Promise<void>)[] = [];
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-copy-'));
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
    await rm(folder, { recursive: true });
  });

  /** A service on this database, on a machine of its own: another folder for the head of the log. */
  const open = (databaseUrl: string, machine: string): Promise<OpenContext> =>
    openContext(
      completeConfig(readSettings({ ...ampleLimits, LOG_HEAD_DIR: join(folder, machine) }), {
        databaseUrl,
        temporalAddress: '127.0.0.1:1',
        platformAdminKey: randomBytes(24).toString('hex'),
        encryptionKeys: [encryptionKey],
        localProviders: true,
      }),
      pino({ level: 'silent' }),
      { messagesCommitted() {}, async begin() {} },
    );
  const growBy = async (context: OpenContext, count: number): Promise<void> => {
    await recordClaims(context, count);
    assert.equal(await appendBatch(context), count);
    await publishLog(context);
  };
  const monitor = async (url: string): Promise<[number | string, string]> => {
    const program = startProgram('scripts/monitor/main.ts', {}, [url, '--state', join(folder, 'state.json')]);
    const code = await program.ended;
    return [code, program.output()];
  };
  const served = async (databaseUrl: string, machine: string): Promise<{ context: OpenContext; url: string }> => {
    const context = await open(databaseUrl, machine);
    ends.push(() => context.close());
    const { baseUrl, stop } = await serve(context);
    ends.push(stop);
    return { context, url: baseUrl };
  };

  it('shouts at the copy once it has gone another way with the same key, and says before that it was rolled back', async () => {
    const database = await migratedDatabase();
    ends.push(() => database.drop());
    const before = await open(database.url, 'original');
    await growBy(before, 3);
    await before.close();
    const copy = await copyOfDatabase(database.url);
    ends.push(() => copy.drop());

    const original = await served(database.url, 'original');
    await growBy(original.context, 2);
    const [first, output] = await monitor(original.url);
    assert.deepEqual([first, /first look at 5 entries/.test(output)], [0, true], output);

    const other = await served(copy.url, 'other');
    const [behind, rolledBack] = await monitor(other.url);
    assert.deepEqual([behind, /trees of 5 and of 3 entries .* rolled back/.test(rolledBack)], [4, true], rolledBack);
    await growBy(other.context, 3);
    const [forked, why] = await monitor(other.url);
    assert.deepEqual([forked, /HAS FORKED: its 6 entries do not begin with the 5/.test(why)], [1, true], why);

    await growBy(original.context, 2);
    const [good, said] = await monitor(original.url);
    assert.deepEqual([good, /consistent from 5 to 7 entries/.test(said)], [0, true], said);
  });
});
