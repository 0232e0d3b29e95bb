// Proves every law of the ledger, on DATABASE_URL or on the instance that runs on the data directory. It reads one
// snapshot and changes no row, so it is true, and safe, while commands run; where another release is running it installs the SQL
// functions of its own beside that one's. Exit code 1 where a law is broken, or could not be checked.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { faultText, proveLedger, type LedgerProof } from '../src/billing/index.ts';
import { connectToRelease } from '../src/database/functions.ts';
import { openPool, sql, type CommonQueryMethods } from '../src/database/pool.ts';

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

const number = (value: number): string => value.toLocaleString('en-US');
const Nothing = z.object({});

/**
 * One transaction that cannot write and sees one snapshot. 64 MB are enough to sort a million rows in memory; compiling
 * the plans (jit) would take longer than running them.
 */
async function prove(connection: CommonQueryMethods): Promise<readonly LedgerProof[]> {
  await connection.query(sql.type(Nothing)`set transaction isolation level repeatable read, read only`);
  await connection.query(sql.type(Nothing)`set local work_mem = '64MB'`);
  await connection.query(sql.type(Nothing)`set local jit = off`);
  return proveLedger(connection);
}

function printProof({ law, means, of, lookedAt, broken, faults }: LedgerProof): void {
  const rows = broken === 0 ? number(lookedAt) : `${number(broken)} of ${number(lookedAt)}`;
  console.log(`${broken === 0 ? 'holds ' : 'BROKEN'}  ${law} (${rows} ${of}): ${means}`);
  for (const fault of faults) console.error(`        ${faultText(fault)}`);
  if (broken > faults.length) console.error(`        … and ${number(broken - faults.length)} more`);
}

try {
  const begun = performance.now();
  const url = await databaseUrl();
  const lasting = await connectToRelease(url, { name: 'carnet-check-ledger' });
  const pool = await openPool(url, {
    size: 1,
    applicationName: 'carnet-check-ledger',
    statementTimeoutMs: 600_000,
  });
  try {
    const proofs = await pool.transaction(prove);
    for (const proof of proofs) printProof(proof);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const most = (of: string): string =>
      `${number(Math.max(0, ...proofs.filter((proof) => proof.of === of).map(({ lookedAt }) => lookedAt)))} ${of}`;
    const broken = proofs.filter((proof) => proof.broken > 0).length;
    console.log(
      `${proofs.length} laws, ${most('wallets')}, ${most('transfers')}, ${most('charges')}, one snapshot, ${seconds} s.`,
    );
    console.log(
      broken === 0 ? 'The ledger is right.' : `The ledger is wrong: ${broken} of ${proofs.length} laws are broken.`,
    );
    process.exitCode = broken === 0 ? 0 : 1;
  } finally {
    await pool.end();
    await lasting.end();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
