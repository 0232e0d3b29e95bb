import { holdDataDirectory } from './instance.ts';
import type { RunningFacts } from './instance.ts';
import { startPostgres } from './postgres.ts';
import { startTemporal, type TemporalPorts } from './temporal.ts';
import type { NamespaceOptions } from './temporal-namespace.ts';

export { holdDataDirectory } from './instance.ts';
export { stopLeftovers } from './leftover.ts';
export { onStopSignal, watchParent } from './signals.ts';

type EmbeddedPartName = 'postgres' | 'temporal';

export interface EmbeddedOptions extends NamespaceOptions {
  /** Created when missing, mode 0700, and locked for this process. */
  dataDir: string;
  /** Whether to start it; false where the settings name a server of one's own. */
  postgres: boolean;
  temporal: boolean;
  /** The port of Postgres; where another program has it, and for 0, a free one. */
  postgresPort: number;
  temporalPorts: TemporalPorts;
  /** Receives one line for each step that takes time. */
  progress: (line: string) => void;
  /** Called each time a part has ended by itself; it is started again on the same port. */
  onLost: (part: EmbeddedPartName) => void;
}

export interface Embedded {
  /** The data directory as an absolute path. */
  dataDir: string;
  databaseUrl?: string;
  temporalAddress?: string;
  temporalUiUrl?: string;
  /** Writes facts about the running instance to `running.json` (mode 0600), beside its process id. */
  writeRunningFacts(facts: RunningFacts): void;
  /** Stops the parts, once, and unlocks the data directory. Everything that uses them should be closed before. */
  stop(): Promise<void>;
}

type StartedPart = Omit<Embedded, 'dataDir' | 'writeRunningFacts'>;

/**
 * Starts Postgres, the Temporal server, or both together, as `options` say.
 *
 * @throws StartupFault after ending what had been started
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, writeRunningFacts, release } = holdDataDirectory(options.dataDir);
  const { progress, namespace, searchAttributes } = options;
  const parts: Promise<StartedPart>[] = [];
  if (options.postgres) {
    parts.push(
      startPostgres({ dataDir, progress, onLost: () => options.onLost('postgres'), port: options.postgresPort }),
    );
  }
  if (options.temporal) {
    const onLost = (): void => options.onLost('temporal');
    parts.push(startTemporal({ dataDir, progress, onLost, namespace, searchAttributes, ...options.temporalPorts }));
  }
  const results = await Promise.allSettled(parts);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stopAll = async (): Promise<void> => {
    await Promise.all(started.map((part) => part.stop()));
    release();
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopAll());
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return Object.assign({ dataDir, writeRunningFacts }, ...started, { stop }) as Embedded;
}
