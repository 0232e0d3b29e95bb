import type { Logger } from 'pino';
import type { TracingSettings } from './settings.ts';

/** Begins to export traces where the settings say where to; the SDK is loaded for that alone. @returns what ends it */
export async function startTracing(
  settings: TracingSettings | undefined,
  place: { log: Logger; version: string },
): Promise<() => Promise<void>> {
  if (settings === undefined) return async () => {};
  const { startExport } = await import('./export.ts');
  return startExport(settings, place);
}
