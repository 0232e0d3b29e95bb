import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { migrate } from '../src/database/migrations.ts';
import { holdDataDirectory } from '../src/embedded/index.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { landingOf, missingFaults } from './landed-migrations.ts';
import { violations } from './sql-law.ts';
import { nameFaults } from './sql-names.ts';

/** Checks the SQL of the project: form, refusals, who touches whom, landed migrations, and, on a Postgres of its own, every name. */

const root = dirname(import.meta.dirname);
const { texts, source } = violations(root);
const landing = landingOf(root);
texts.push(...landing.faults, ...missingFaults(landing));
if (texts.length === 0) {
  const dataDir = await mkdtemp(join(tmpdir(), 'carnet-sql-'));
  const { release } = holdDataDirectory(dataDir);
  const postgres = await startPostgres({ dataDir, progress: () => {}, onLost: () => {}, port: 0 });
  try {
    await migrate(postgres.databaseUrl);
    const client = new pg.Client(postgres.databaseUrl);
    await client.connect();
    const names = await nameFaults(client, source.functions);
    await client.end();
    texts.push(...names.texts);
    if (names.texts.length === 0)
      console.log(
        `SQL: ${source.functions.length} functions on ${source.owners.size} tables keep the law, and all ${names.looked} texts of their ` +
          'bodies name what is there',
      );
  } catch (error) {
    texts.push(error instanceof Error ? error.message : String(error));
  } finally {
    await postgres.stop();
    release();
    await rm(dataDir, { recursive: true, force: true });
  }
}
if (texts.length > 0) console.log(texts.join('\n\n'));
process.exitCode = texts.length === 0 ? 0 : 1;
