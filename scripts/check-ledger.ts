// Proves every sum of the ledger, on DATABASE_URL or on the instance that runs on the data directory; safe while it works.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerFaults } from '../src/billing/index.ts';
import { openPool } from '../src/database/pool.ts';

async function databaseUrl(): Promise<string> {
  const { DATABASE_URL, DATA_DIR } = process.env;
  if (DATABASE_URL !== undefined && DATABASE_URL !== '') return DATABASE_URL;
  const file = join(DATA_DIR ?? '.carnet', 'running.json');
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as { database_url: string }).database_url;
  } catch {
    throw new Error(
      `There is no running instance to be found in ${file}; start one with npm start, or set DATABASE_URL.`,
    );
  }
}

try {
  const pool = await openPool(await databaseUrl(), { size: 1, applicationName: 'carnet-check-ledger', statementTimeoutMs: 600_000 });
  try {
    const faults = await ledgerFaults(pool);
    for (const { law, subject, stored, proven } of faults)
      console.error(`${law}: ${subject} has ${stored}, should have ${proven}`);
    console.log(faults.length === 0 ? 'The ledger is right.' : 'The ledger is wrong.');
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await pool.end();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
