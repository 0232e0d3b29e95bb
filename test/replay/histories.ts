import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `<workflow>/<case>@<version>.json`, recorded from real runs by record.ts. */
export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));

/** All recorded histories by their name. */
export function recordedHistories(): Map<string, unknown> {
  const files = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .toSorted();
  return new Map(
    files.map((file): [string, unknown] => [
      file.slice(0, -'.json'.length),
      JSON.parse(readFileSync(`${HISTORIES}${file}`, 'utf8')),
    ]),
  );
}
