import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createEncryption } from '../src/context/encryption.ts';
import { newId } from '../src/ids/ids.ts';
import { destinationSecrets } from '../src/notifications/index.ts';
import { newWebhookSecret } from '../src/webhooks/secrets.ts';
import { configOf } from './config.ts';

interface EventsOptions {
  databaseUrl: string;
  /** Makes the service deliver messages that were written without its API. */
  deliver(): Promise<unknown>;
}

/** Records events without the API, each in a transaction of its own. */
export async function openEvents({ databaseUrl, deliver }: EventsOptions) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
  const encryption = createEncryption(configOf({ databaseUrl }).encryptionKeys);
  const record = (operators: readonly string[]): Promise<unknown> =>
    pool.query({
      name: 'record',
      text: `select record_service_event(operator, 'passport.flagged', 'critical', '{"jti":"psp_1","agent_id":"ag_1","flags":[]}'::json)
             from unnest($1::text[]) operator`,
      values: [operators],
    });
  // One request at a time goes to the service.
  let announcing: Promise<unknown> | undefined;
  const announce = (): void => void (announcing ??= deliver().finally(() => (announcing = undefined)));
  return {
    /** An operator whose rule sends `passport.flagged` to this URL. @returns its id */
    async receiver(url: string): Promise<string> {
      const [operator, destination, rule] = [newId('op'), newId('dst'), newId('chn')];
      await pool.query(`insert into operators (id, name, email, tier) values ($1, 'bench', $2, 'enterprise')`, [
        operator,
        `${operator}@carnet.invalid`,
      ]);
      await pool.query(
        `insert into destinations (id, operator_id, channel_type, destination, address, verified_at, secret) values ($1, $2, 'webhook', $3, $3, now(), $4)`,
        [
          destination,
          operator,
          url,
          destinationSecrets.encrypt(encryption, { id: destination, secret: newWebhookSecret() }),
        ],
      );
      await pool.query(
        `insert into notification_rules (id, operator_id, events, min_severity) values ($1, $2, '{passport.flagged}', 'info')`,
        [rule, operator],
      );
      await pool.query('insert into rule_destinations (rule_id, destination_id, position) values ($1, $2, 0)', [
        rule,
        destination,
      ]);
      return operator;
    },
    /** `count` events together, the operators in turn. */
    async burst(count: number, operators: readonly string[]): Promise<void> {
      await record(Array.from({ length: count }, (_, nth) => operators[nth % operators.length] ?? ''));
      announce();
    },
    /** Deliveries of these operators that have not ended. */
    async waiting(operators: readonly string[]): Promise<number> {
      const { rows } = await pool.query<{ count: number }>({
        name: 'waiting',
        text: `select count(*)::int from deliveries where status = 'sending' and operator_id = any($1)`,
        values: [operators],
      });
      return rows[0]?.count ?? 0;
    },
    /** Counts the deliveries of these operators by their end; those that were delivered are left out. */
    async lost(operators: readonly string[]): Promise<Record<string, number>> {
      const { rows } = await pool.query<{ reason: string; count: number }>(
        `select coalesce(reason, status) as reason, count(*)::int from deliveries
         where status <> 'delivered' and operator_id = any($1) group by 1`,
        [operators],
      );
      return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
    },
    /**
     * An event of the operators in turn at each moment; of `others` one a second besides.
     * @returns how many events of `operators` were recorded, and in how many milliseconds
     */
    async paced({
      perSecond,
      seconds,
      operators,
      others,
    }: {
      perSecond: number;
      seconds: number;
      operators: readonly string[];
      others: readonly string[];
    }): Promise<{ count: number; took: number }> {
      const begun = performance.now();
      const recorded: Promise<unknown>[] = [];
      for (let nth = 0; nth < Math.floor(perSecond * seconds); nth += 1) {
        const wait = begun + (nth * 1_000) / perSecond - performance.now();
        if (wait > 0) await pause(wait);
        const operator = operators[nth % operators.length] ?? '';
        const now = nth % Math.ceil(perSecond) === 0 ? [operator, ...others] : [operator];
        recorded.push(record(now).then(announce));
      }
      await Promise.all(recorded);
      return { count: recorded.length, took: performance.now() - begun };
    },
    close: (): Promise<void> => pool.end(),
  };
}
