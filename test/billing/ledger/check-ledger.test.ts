import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownRelease } from '../../../src/database/functions.ts';
import { sql } from '../../../src/database/pool.ts';
import { newWallet, run } from './ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/check-ledger.ts', import.meta.url));

/** Runs the script with these settings and no others. */
const check = (settings: Record<string, string>): Promise<{ code: number; printed: string }> =>
  new Promise((resolve) => {
    const { DATABASE_URL: _url, DATA_DIR: _dir, ...rest } = process.env;
    execFile(process.execPath, [SCRIPT], { env: { ...rest, ...settings } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, printed: stdout + stderr }),
    );
  });

describe('npm run check:ledger', () => {
  let own: OwnDatabase;
  let dataDir: string;
  before(async () => {
    own = await ownDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'carnet-test-'));
  });
  after(async () => {
    await own.drop();
    await rm(dataDir, { recursive: true });
  });

  it('prints for an empty database what it has checked, and no broken law', async () => {
    const { code, printed } = await check({ DATABASE_URL: own.url });
    assert.equal(code, 0, printed);
    assert.match(
      printed,
      /\n\d+ laws, 1 wallets, 0 transfers, 0 charges, one snapshot, [\d.]+ s\.\nThe ledger is right\.\n$/,
      'the platform has a wallet',
    );
  });

  it('prints which laws hold, over how many rows, and what each means', async () => {
    await newWallet(own.pool, 10);
    const { code, printed } = await check({ DATABASE_URL: own.url });
    assert.equal(code, 0, printed);
    assert.match(
      printed,
      /^holds {3}a wallet is the sum of its transfers \(2 wallets\): its balance is its top-ups less its debits and refunds/,
    );
    assert.doesNotMatch(printed, /BROKEN/);
  });

  it('finds the instance that runs on the data directory', async () => {
    await writeFile(join(dataDir, 'running.json'), JSON.stringify({ database_url: own.url }));
    assert.equal((await check({ DATA_DIR: dataDir })).code, 0);
  });

  it('brings its own SQL functions where another release is running', async () => {
    const { schema } = ownRelease();
    const other = await ownDatabase();
    await run(other.pool, sql.fragment`drop schema ${sql.identifier([schema])} cascade`);
    const { code, printed } = await check({ DATABASE_URL: other.url });
    await other.drop();
    assert.equal(code, 0, printed);
  });

  it('names what is wrong, and fails', async () => {
    const wallet = await newWallet(own.pool, 10);
    await run(own.pool, sql.fragment`update wallets set posted_cents = 11 where operator_id = ${wallet}`);
    const { code, printed } = await check({ DATABASE_URL: own.url });
    assert.equal(code, 1);
    assert.match(printed, /^BROKEN {2}a wallet is the sum of its transfers \(1 of 3 wallets\)/m);
    assert.match(
      printed,
      new RegExp(
        `a wallet is the sum of its transfers: ${wallet} has 11, should have 10 \\(top-ups 0, debits 0, refunds 0, adjustments 10\\)`,
      ),
    );
    assert.match(printed, /The ledger is wrong: 2 of \d+ laws are broken\.\n/, 'the sum over everything is another');
  });

  it('lists ten of many faults, and how many there are', async () => {
    const lost = await ownDatabase();
    for (let wallet = 0; wallet < 12; wallet += 1) await newWallet(lost.pool, 10);
    await run(lost.pool, sql.fragment`delete from transfers`);
    const { code, printed } = await check({ DATABASE_URL: lost.url });
    await lost.drop();
    assert.equal(code, 1);
    assert.match(printed, /^BROKEN {2}positions are dense \(12 of 13 wallets\)/m);
    assert.match(printed, /^ +… and 2 more$/m);
  });

  it('names the file it looked in when no instance runs', async () => {
    const { code, printed } = await check({ DATA_DIR: join(dataDir, 'nowhere') });
    assert.equal(code, 1);
    assert.match(printed, /no running instance .*running\.json; start one with npm start, or set DATABASE_URL/);
  });
});
