import { z } from 'zod';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';

const StateRow = z.object({
  now: z.number(),
  withdrawn: z.boolean(),
  exists: z.boolean(),
  revoked: z.boolean(),
  by_ancestor: z.boolean(),
  expires_at: z.number().nullable(),
  payload_digest: z.string().nullable(),
  budgets: z.array(z.string()).nullable(),
});

/** A passport as Postgres has it; instants are seconds since 1970, by Postgres' clock; `payload_digest` is SHA-256 in base64. */
export type LiveState = z.infer<typeof StateRow>;

/** Most passports of one query. */
const MAX_AT_ONCE = 100;
/**
 * Most queries in parallel. With one, the connection is idle while its answer is read; with more, each gathers fewer
 * passports.
 */
const QUERIES = 2;

interface Question {
  jti: string;
  kid: string;
  resolve: (state: LiveState) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads the state of passports that are being verified, in one query for all that arrive together. A query begins after
 * the verifications that it is for, so a revocation that was acknowledged before is always seen.
 */
class LiveStates {
  readonly #pool: Context['pool'];
  readonly #waiting: Question[] = [];
  #underWay = 0;
  #called = false;

  constructor(pool: Context['pool']) {
    this.#pool = pool;
  }

  find(jti: string, kid: string): Promise<LiveState> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ jti, kid, resolve, reject });
      this.#callSoon();
    });
  }

  /** Queries once everything that arrived together has been read from its sockets. */
  #callSoon(): void {
    if (this.#called || this.#underWay >= QUERIES) return;
    this.#called = true;
    setImmediate(() => {
      this.#called = false;
      void this.#answer(this.#waiting.splice(0, MAX_AT_ONCE));
    });
  }

  async #answer(questions: readonly Question[]): Promise<void> {
    this.#underWay += 1;
    try {
      const rows = await this.#query(questions);
      for (const [at, { resolve, reject }] of questions.entries()) {
        const row = rows[at];
        if (row === undefined) reject(new Error('A passport was looked up and not found in the rows.'));
        else resolve(row);
      }
    } catch (error) {
      for (const { reject } of questions) reject(error);
    } finally {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#callSoon();
    }
  }

  #query(questions: readonly Question[]): Promise<readonly LiveState[]> {
    const [jtis, kids] = [questions.map(({ jti }) => jti), questions.map(({ kid }) => kid)];
    return this.#pool.any(sql.type(StateRow)`
      select extract(epoch from clock_timestamp())::float8 as now, coalesce(k.status = 'withdrawn', true) as withdrawn,
        p.jti is not null as exists, p.revoked_at is not null as revoked, p.revoked_with is not null as by_ancestor,
        extract(epoch from p.expires_at)::float8 as expires_at, encode(p.payload_digest, 'base64') as payload_digest, p.budgets
      from unnest(${sql.array(jtis, 'text')}, ${sql.array(kids, 'text')}) with ordinality as wanted (jti, kid, at)
      left join signing_keys k on k.kid = wanted.kid
      left join passports p on p.jti = wanted.jti
      order by at`);
  }
}

const liveStates = defineCache(({ pool }) => new LiveStates(pool));

/** The state of a passport at a moment after this call. */
export const liveState = (context: Context, { jti, kid }: { jti: string; kid: string }): Promise<LiveState> =>
  context.caches.get(liveStates).find(jti, kid);
