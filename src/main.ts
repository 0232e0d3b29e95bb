import { once } from 'node:events';
import { createServer } from 'node:net';
import { styleText } from 'node:util';
import { searchAttributes } from '../temporal/search-attributes.ts';
import { completeConfig, embeddedHost, readSettings, type Config, type Settings } from './context/config.ts';
import { awaitDatabase, STEP_WAIT_SECONDS } from './database/await-database.ts';
import { migrate } from './database/migrations.ts';
import { onStopSignal, startEmbedded, watchParent, type Embedded } from './embedded/index.ts';
import { createLogger } from './context/logging.ts';
import { listen } from './process/listen.ts';
import { openParts, type Parts } from './process/parts.ts';
import { ensureSecrets, newDemoLinks, seed, type Credentials } from './process/seed.ts';
import { failStart } from './process/start-failure.ts';
import { whileSilent } from './process/while-silent.ts';

/** `npm start`: API and worker in this process, Postgres and the Temporal server as its children. */

const silence = whileSilent((seconds) => console.log(`carnet: still starting, after ${seconds} s`));
const print = (line: string): void => {
  silence.printed();
  console.log(`carnet: ${line}`);
};
const startedAt = performance.now();
let embedded: Embedded | undefined;
let parts: Parts | undefined;

/** Stops what has been started so far; parts that are just starting end with this process. */
async function stop(): Promise<never> {
  print('stopping');
  silence.end();
  await parts?.stop();
  await embedded?.stop();
  process.exit(0);
}

/** Checks that the port is free before anything slow is started; for 0 it returns a free one. */
async function probePort(settings: Settings): Promise<number> {
  const probe = createServer();
  const freePort = await listen(probe, { port: settings.PORT, host: embeddedHost(settings) });
  probe.close();
  await once(probe, 'close');
  return freePort;
}

function printBanner(credentials: Credentials, { dataDir, demoLinks }: Config): void {
  const { base_url: base } = credentials;
  const row = (name: string, value: string): string => `  ${styleText('bold', name.padEnd(13))} ${value}`;
  const rows = [
    row('API', base),
    row('API docs', `${base}/docs`),
    row('MCP', `${base}/mcp`),
    row('For agents', `${base}/AGENTS.md`),
    row('Dashboard', credentials.dashboard_url),
    ...Object.entries(demoLinks?.tokens ?? {}).map(([who, token]) =>
      row(`As ${who}`, `${base}/dashboard/sign-in/demo?token=${token} (once, within 15 minutes)`),
    ),
    row('Temporal', credentials.temporal_address),
    row('Temporal UI', credentials.temporal_ui_url ?? 'that of your own Temporal server'),
    row('Payments', credentials.payment_webhook_secret === null ? 'Stripe' : 'a local page, on which no money moves'),
    row('Credentials', `${dataDir}/credentials.json`),
  ];
  const next = `curl -s ${base}/v1/billing/balance -H "Authorization: Bearer $(node -p "require('${dataDir}/credentials.json').consumer_api_key")"`;
  console.log(
    `\nCarnet is ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.\n\n${rows.join('\n')}\n\n  A first call:\n  ${next}\n\n  The whole story, beside this: npm run demo\n`,
  );
}

async function start(settings: Settings): Promise<void> {
  const port = await probePort(settings);
  const log = createLogger(settings.LOG_LEVEL);
  embedded = await startEmbedded({
    dataDir: settings.DATA_DIR,
    postgres: settings.DATABASE_URL === undefined,
    temporal: settings.TEMPORAL_ADDRESS === undefined,
    postgresPort: settings.POSTGRES_PORT,
    temporalPorts: { port: settings.TEMPORAL_PORT, uiPort: settings.TEMPORAL_UI_PORT },
    namespace: settings.TEMPORAL_NAMESPACE,
    searchAttributes,
    progress: print,
    onLost: (part) => log.error({ part }, `the embedded ${part} ended by itself; restarting it`),
  });
  const { dataDir, databaseUrl, temporalAddress, temporalUiUrl } = embedded;
  const config = completeConfig(
    { ...settings, PORT: port, DATA_DIR: dataDir },
    {
      databaseUrl,
      temporalAddress,
      temporalUiUrl,
      ...(await ensureSecrets(dataDir)),
      demoLinks: newDemoLinks(),
      localProviders: true,
    },
  );
  await awaitDatabase(config.databaseUrl, {
    seconds: STEP_WAIT_SECONDS,
    onAway: (why) =>
      print(`the database does not answer (${why}); waiting for it, ${STEP_WAIT_SECONDS} seconds at most`),
  });
  const applied = await migrate(config.databaseUrl, print);
  if (applied.length > 0) print(`applied ${applied.length} migrations`);
  parts = await openParts(config, log, { api: true, worker: true });
  const credentials = await seed(parts.context);
  embedded.writeRunningFacts({ base_url: config.publicBaseUrl, database_url: config.databaseUrl });
  silence.end();
  printBanner(credentials, config);
}

onStopSignal(() => void stop());
watchParent(() => void stop());
try {
  await start(readSettings(process.env));
} catch (error) {
  silence.end();
  await embedded?.stop();
  failStart(error);
}
