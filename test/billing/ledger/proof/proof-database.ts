import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ledgerFaults } from '../../../../src/billing/index.ts';
import { ownRelease, searchPathOf } from '../../../../src/database/functions.ts';
import { migrate } from '../../../../src/database/migrations.ts';
import { openPool, type DatabasePool } from '../../../../src/database/pool.ts';
import { service } from '../../../support/service.ts';

/**
 * A migrated database for histories. Deadlocks are detected immediately, and commits do not wait for the disk: no test here
 * kills it.
 */
export interface ProofDatabase {
  pool: DatabasePool;
  lane(): Promise<Lane>;
  /** How many deadlocks the server has counted here; a connection reports them when it ends. */
  deadlocks(): Promise<number>;
  drop(): Promise<void>;
}

/** One connection, as a request has one. */
export interface Lane {
  /** The first row, or the code of a refusal of the database. Any other error is thrown, above all a deadlock. */
  query(statement: string, values: unknown[], linger?: number): Promise<Record<string, unknown> | Refused>;
  end(): Promise<void>;
}

/** The code of a `refuse()` (SQLSTATE CN000). */
export class Refused {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

/**
 * A database that others are copied from: every failing history, also each try to shrink it, leaves one that cannot be
 * used again.
 */
export class ProofDatabases {
  #template: string | undefined;
  #current: ProofDatabase | undefined;

  async current(): Promise<ProofDatabase> {
    return (this.#current ??= await this.#make());
  }

  /** After a history that failed: keeps the databases that it has not broken, since a check is faster than a copy. */
  async inspect(): Promise<void> {
    const proof = await this.current();
    if ((await ledgerFaults(proof.pool)).length > 0) await this.discard();
  }

  async discard(): Promise<void> {
    await this.#current?.drop();
    this.#current = undefined;
  }

  async close(): Promise<void> {
    await this.discard();
    if (this.#template !== undefined) await administer(`drop database ${this.#template}`);
  }

  async #make(): Promise<ProofDatabase> {
    if (this.#template === undefined) {
      const template = name();
      await administer(`create database ${template}`);
      await migrate(urlOf(template));
      this.#template = template;
    }
    const copy = name();
    await administer(`create database ${copy} template ${this.#template}`);
    await administer(`alter database ${copy} set synchronous_commit = off`);
    await administer(`alter database ${copy} set deadlock_timeout = '10ms'`);
    return open(copy);
  }
}

const name = (): string => `proof_${randomBytes(6).toString('hex')}`;

function urlOf(database: string): string {
  const url = new URL(service().databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function administer(statement: string): Promise<Record<string, unknown> | undefined> {
  const client = new pg.Client({ connectionString: service().databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows[0];
  } finally {
    await client.end();
  }
}

async function open(database: string): Promise<ProofDatabase> {
  const pool = await openPool(urlOf(database), { size: 4, applicationName: 'carnet-proof' });
  return {
    pool,
    lane: () => openLane(urlOf(database)),
    deadlocks: async () =>
      Number((await administer(`select deadlocks from pg_stat_database where datname = '${database}'`))?.deadlocks),
    async drop() {
      await pool.end();
      await administer(`drop database ${database} with (force)`);
    },
  };
}

async function openLane(url: string): Promise<Lane> {
  // Not over slonik, which would silently repeat a statement, and without the time limits of the service: how long a
  // rival keeps a lock on a busy machine proves nothing, and a deadlock is found without them.
  const client = new pg.Client({
    connectionString: url,
    options: `-c TimeZone=UTC -c search_path=${searchPathOf(ownRelease())}`,
  });
  await client.connect();
  const once = async (statement: string, values: unknown[]): Promise<Record<string, unknown>> =>
    (await client.query<Record<string, unknown>>(statement, values)).rows[0] ?? {};
  return {
    async query(statement, values, linger = 0) {
      try {
        if (linger === 0) return await once(statement, values);
        await client.query('begin');
        const row = await once(statement, values);
        for (let turn = 1; turn < linger; turn += 1) await client.query('select'); // what it has locked stays locked a little longer
        await client.query('commit');
        return row;
      } catch (error) {
        if (linger > 0) await client.query('rollback');
        if (error instanceof pg.DatabaseError && error.code === 'CN000') return new Refused(error.message);
        throw error;
      }
    },
    end: () => client.end(),
  };
}
