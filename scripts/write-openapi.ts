import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../src/http/openapi/document.ts';
import { routes } from '../src/process/routes.ts';

/** Writes openapi.json; with `--check` says instead whether the committed one is what the routes make today, and exits 1 if not. */
const FILE = new URL('../openapi.json', import.meta.url);
const made = `${JSON.stringify(openApiDocument(routes), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  await writeFile(FILE, made);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== made) {
  console.error('openapi.json is not what the routes make today; run: node scripts/write-openapi.ts');
  process.exitCode = 1;
}
