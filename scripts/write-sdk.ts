import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SDK_TYPES, sdkTypes } from './sdk-types.ts';

/** Writes the generated core of the SDK from openapi.json; with `--check` it writes nothing, and exits 1 where the committed file differs. */
const format = new URL('../node_modules/.bin/oxfmt', import.meta.url);
const fresh = new URL('generated.fresh.ts', SDK_TYPES);
await writeFile(fresh, await sdkTypes());
try {
  await promisify(execFile)(fileURLToPath(format), [fileURLToPath(fresh)]);
  const current = await readFile(fresh, 'utf8');
  if (!process.argv.includes('--check')) {
    await writeFile(SDK_TYPES, current);
  } else if ((await readFile(SDK_TYPES, 'utf8').catch(() => '')) !== current) {
    console.error('sdk/typescript/src/generated.ts differs from openapi.json; run: node scripts/write-sdk.ts');
    process.exitCode = 1;
  }
} finally {
  await rm(fresh);
}
