import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { migrate } from '../src/database/migrations.ts';
import { holdDataDirectory } from '../src/embedded/index.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { violations } from './sql-law.ts';
import { nameFaults } from './sql-names.ts';

/** Checks the SQL of the project: form, refusals, who touches whom, and, on a Postgres of its own, every name. */

const { texts, source } = violations(dirname(import.meta.dirname));
if (texts.length === 0) {
  const dataDir = await mkdtemp(join(tmpdir(), 'carnet-sql-'));
  const { release } = holdDataDirectory(dataDir);
  const postgres = await startPostgres({ dataDir, progress: () => {}, onLost: () => {} });
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
