import { awaitDatabase, STEP_WAIT_SECONDS } from './await-database.ts';
import { migrate } from './migrations.ts';

/** The migration step of production: `DATABASE_URL=… node src/database/migrate.ts`. */
const url = process.env.DATABASE_URL;
if (url === undefined || url === '') {
  console.error('DATABASE_URL is needed: the Postgres to migrate, postgres://user:password@host:5432/carnet');
  process.exit(1);
}
try {
  await awaitDatabase(url, {
    seconds: STEP_WAIT_SECONDS,
    onAway: (why) =>
      console.log(`The database does not answer (${why}); waiting for it, ${STEP_WAIT_SECONDS} seconds at most.`),
  });
  const applied = await migrate(url, console.log);
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
