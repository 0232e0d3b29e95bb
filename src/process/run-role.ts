import { completeConfig, readSettings } from '../context/config.ts';
import { onStopSignal } from '../embedded/signals.ts';
import { createLogger } from '../context/logging.ts';
import { openParts } from './parts.ts';
import { failStart } from './start-failure.ts';

/** A production process: settings from the environment alone, migrations and demo operators left to their own steps. */
export async function runRole(roles: { api: boolean; worker: boolean }): Promise<void> {
  try {
    const config = completeConfig(readSettings(process.env));
    const log = createLogger(config.logLevel);
    const parts = await openParts(config, log, roles);
    onStopSignal(() => void parts.stop().then(() => process.exit(0)));
    log.info({ ...roles, port: roles.api ? config.port : parts.workerPort }, 'ready');
  } catch (error) {
    failStart(error);
  }
}
