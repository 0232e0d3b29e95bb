import { createPgDriverFactory } from '@slonik/pg-driver';
import type { DriverFactory } from 'slonik';

/** Milliseconds in which Postgres answers, no matter what it is busy with: beyond that a connection is dead, though nobody has closed it. */
export const SILENT_MS = 5_000;

/**
 * A driver for whose clients a statement fails where Postgres, which ends it after `statementTimeoutMs`, has said nothing `SILENT_MS` later,
 * as after a failover or in a network that drops packets. The pool closes the connection then; otherwise it would be lost to the
 * pool until the operating system gives it up, a quarter of an hour later.
 */
export function driverWithinTime(statementTimeoutMs: number): DriverFactory {
  const makeDriver = createPgDriverFactory();
  return async (setup) => {
    const driver = await makeDriver(setup);
    return {
      async createClient() {
        const client = await driver.createClient();
        let silence: Error | undefined; // nothing more is sent then, no `rollback` either
        return {
          ...client,
          async query(...statement) {
            if (silence !== undefined) throw silence;
            const { promise: tooLate, reject } = Promise.withResolvers<never>();
            const timer = setTimeout(() => {
              const error = new Error(`Postgres has not answered within ${statementTimeoutMs + SILENT_MS} ms`);
              silence = Object.assign(error, { code: 'ETIMEDOUT' });
              reject(silence);
            }, statementTimeoutMs + SILENT_MS);
            try {
              return await Promise.race([client.query(...statement), tooLate]);
            } finally {
              clearTimeout(timer);
            }
          },
          /** Where Postgres is silent nobody waits: the driver gives the statement another five seconds before it closes the connection. */
          async destroy() {
            const destroyed = client.destroy();
            if (silence === undefined) await destroyed;
            else destroyed.catch(() => {});
          },
        };
      },
    };
  };
}
