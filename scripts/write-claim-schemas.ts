import { readFile, writeFile } from 'node:fs/promises';
import { jsonSchemaOf, schemaDirectory } from '../src/claims/json-schemas.ts';
import { jsonLines } from './json-lines.ts';

/**
 * Writes the JSON Schemas of claims, as /v1/claims/schemas shows them, beside the offline verifier, which reads nothing of src and
 * nothing of the net; with `--check` it writes nothing, and exits 1 where the committed file differs.
 */
const FILE = new URL('verify/schemas.json', import.meta.url);
const payloads = Object.fromEntries(schemaDirectory.schemas.map(({ claim_type: type }) => [type, jsonSchemaOf(type)]));
const current = jsonLines({ envelope: jsonSchemaOf('envelope'), payloads }, 3);

if (!process.argv.includes('--check')) {
  await writeFile(FILE, current);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== current) {
  console.error(
    'scripts/verify/schemas.json differs from the published schemas; run: node scripts/write-claim-schemas.ts',
  );
  process.exitCode = 1;
}
