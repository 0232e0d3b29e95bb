import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../src/http/openapi/document.ts';
import { routes } from '../src/process/routes.ts';
import { jsonLines } from './json-lines.ts';

/** Writes openapi.json from the routes; with `--check` it writes nothing, and exits 1 where the committed file differs. */
const FILE = new URL('../openapi.json', import.meta.url);
/** A line for each operation of a path, and for each schema of the components. */
const current = jsonLines(openApiDocument(routes), 3);

if (!process.argv.includes('--check')) {
  await writeFile(FILE, current);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== current) {
  console.error('openapi.json differs from the routes; run: node scripts/write-openapi.ts');
  process.exitCode = 1;
}
