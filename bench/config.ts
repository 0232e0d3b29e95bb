import { completeConfig, readSettings, type Config } from '../src/context/config.ts';

/** Nothing listens there: in a bench that is not about lives the messages of commands stay undelivered. */
const NOWHERE = '127.0.0.1:9';

/** The settings of production but for the rate limit, which a bench would only run into. */
export const configOf = ({
  databaseUrl,
  temporalAddress = NOWHERE,
  port = 0,
}: {
  databaseUrl: string;
  temporalAddress?: string;
  port?: number;
}): Config =>
  completeConfig(readSettings({ PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' }), {
    databaseUrl,
    temporalAddress,
    platformAdminKey: 'plat_of-the-bench-and-nobody-else',
    encryptionKeys: [Buffer.alloc(32, 1)],
    localProviders: true,
  });
