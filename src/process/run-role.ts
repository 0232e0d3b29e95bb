import { completeConfig, readSettings } from '../context/config.ts';
import { onStopSignal } from '../embedded/signals.ts';
import { createLogger } from '../context/logging.ts';
import { liveWithoutDatabase } from './live-without-database.ts';
import { openParts, type Parts } from './parts.ts';
import { failStart } from './start-failure.ts';

/** A production process: settings from the environment alone, migrations and demo operators left to their own steps. */
export async function runRole(roles: { api: boolean; worker: boolean }): Promise<void> {
  try {
    const config = completeConfig(readSettings(process.env));
    const log = createLogger(config.logLevel);
    const stopping = new AbortController();
    const running: Parts[] = [];
    onStopSignal(() => {
      stopping.abort();
      void Promise.all(running.map((parts) => parts.stop())).then(() => process.exit(0));
    });
    const { host } = config;
    await liveWithoutDatabase(config, log, {
      port: roles.api ? config.port : config.workerPort,
      host,
      signal: stopping.signal,
    });
    if (stopping.signal.aborted) return;
    const parts = await openParts(config, log, roles);
    running.push(parts);
    const { workerPort, metricsPort } = parts;
    log.info({ ...roles, port: roles.api ? config.port : workerPort, metricsPort }, 'ready');
  } catch (error) {
    failStart(error);
  }
}
