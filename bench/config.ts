import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeConfig, readSettings, type Config } from '../src/context/config.ts';

/** Nothing listens there: in a bench that is not about lives the messages of commands stay undelivered. */
const NOWHERE = '127.0.0.1:9';

/** The settings of production. Rate limits are on, as there, and so high that no bench reaches one. */
export const configOf = ({
  databaseUrl,
  temporalAddress = NOWHERE,
  port = 0,
  allowLoopback = false,
  runForEveryLife = false,
}: {
  databaseUrl: string;
  temporalAddress?: string;
  port?: number;
  /** Receivers of the bench are on this machine. */
  allowLoopback?: boolean;
  /** As a bench needs it that counts runs. */
  runForEveryLife?: boolean;
}): Config =>
  completeConfig(
    readSettings({
      NODE_ENV: 'production',
      LOG_HEAD_DIR: join(tmpdir(), 'carnet-bench-heads'),
      PORT: String(port),
      WORKER_PORT: '0',
      RATE_LIMIT_PER_MINUTE: '1000000',
      OUTBOUND_ALLOW_LOOPBACK: String(allowLoopback),
      RUN_FOR_EVERY_LIFE: String(runForEveryLife),
      ANONYMOUS_RATE_LIMIT_PER_MINUTE: '1000000',
    }),
    {
      databaseUrl,
      temporalAddress,
      platformAdminKey: 'plat_of-the-bench-and-nobody-else',
      encryptionKeys: [Buffer.alloc(32, 1)],
      localProviders: true,
    },
  );
