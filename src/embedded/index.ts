import { holdDataDirectory } from './instance.ts';
import type { RunningFacts } from './instance.ts';
import { startPostgres } from './postgres.ts';
import { startTemporal } from './temporal.ts';
import type { NamespaceOptions } from './temporal-namespace.ts';

export { holdDataDirectory } from './instance.ts';
export { stopLeftovers } from './leftover.ts';
export { onStopSignal, watchParent } from './signals.ts';
export { StartupFault } from '../errors/startup-fault.ts';

export type EmbeddedPartName = 'postgres' | 'temporal';

export interface EmbeddedOptions extends NamespaceOptions {
  /** Made when missing, mode 0700, and held for this process. */
  dataDir: string;
  /** Whether to start it; false where the person gave a server of his own. */
  postgres: boolean;
  temporal: boolean;
  /** Takes one line for each step that takes time. */
  progress: (line: string) => void;
  /** Told each time a part has died by itself; it is started again on the same port. */
  onLost: (part: EmbeddedPartName) => void;
}

export interface Embedded {
  /** The data directory as an absolute path. */
  dataDir: string;
  databaseUrl?: string;
  temporalAddress?: string;
  temporalUiUrl?: string;
  /** Keeps what may be asked of the running instance in `running.json` (mode 0600), beside its process id. */
  announce(facts: RunningFacts): void;
  /** Ends the parts, once, and lets the data directory go. Whatever uses them should be closed before. */
  stop(): Promise<void>;
}

type Part = Omit<Embedded, 'dataDir' | 'announce'>;

/**
 * Starts what the person has not given: Postgres, the Temporal server, or both at once.
 *
 * @throws StartupFault after ending whatever had been started
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  const { dataDir, announce, release } = holdDataDirectory(options.dataDir);
  const { progress, namespace, searchAttributes } = options;
  const parts: Promise<Part>[] = [];
  if (options.postgres) {
    parts.push(startPostgres({ dataDir, progress, onLost: () => options.onLost('postgres') }));
  }
  if (options.temporal) {
    const onLost = (): void => options.onLost('temporal');
    parts.push(startTemporal({ dataDir, progress, onLost, namespace, searchAttributes }));
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
  return Object.assign({ dataDir, announce }, ...started, { stop }) as Embedded;
};
