import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** `node scripts/pack-sdk.ts <folder>`: the packages carnet-sdk and carnet, as `npm publish` takes them. */
const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const SDK = join(ROOT, 'sdk', 'typescript');
const CLI = join(ROOT, 'sdk', 'cli');
/** The verifier of bundles, which the command line has within it. */
const VERIFIER = join(ROOT, 'scripts', 'verify');

/** Relative imports of a source lead to what is built from it, and the SDK is a package of its own. */
const built = (code: string): string =>
  code
    .replaceAll("'../../typescript/src/index.ts'", "'carnet-sdk'")
    .replaceAll("'../../../scripts/verify/", "'./verify/")
    .replaceAll(/(from '\.\/[^']+)\.ts'/g, "$1.js'");

/** Strips the types of every source of a folder, and copies its JSON. */
async function strip(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of await readdir(from)) {
    if (file.endsWith('.json')) await cp(join(from, file), join(to, file));
    if (!file.endsWith('.ts')) continue;
    const code = stripTypeScriptTypes(await readFile(join(from, file), 'utf8'));
    await writeFile(join(to, file.replace(/\.ts$/, '.js')), built(code), { mode: 0o755 });
  }
}

async function pack(
  source: string,
  { folder, build }: { folder: string; build: (dist: string) => Promise<void> },
): Promise<void> {
  const made = join(folder, `${source.slice(source.lastIndexOf('/') + 1)}.package`);
  await rm(made, { recursive: true, force: true });
  await mkdir(join(made, 'dist'), { recursive: true });
  for (const file of ['package.json', 'README.md']) await cp(join(source, file), join(made, file));
  await cp(join(ROOT, 'LICENSE'), join(made, 'LICENSE'));
  await build(join(made, 'dist'));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: made });
  await rm(made, { recursive: true });
}

export async function packSdk(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await pack(SDK, {
    folder,
    async build(dist) {
      await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', SDK, '--outDir', dist]);
      for (const file of await readdir(dist)) {
        const path = join(dist, file);
        if (file.endsWith('.d.ts')) await writeFile(path, built(await readFile(path, 'utf8')));
        else if (!file.endsWith('.js')) await rm(path);
      }
    },
  });
  await pack(CLI, {
    folder,
    async build(dist) {
      // Types are stripped, not compiled; this refuses what the oldest Node of the package lacks.
      await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', CLI]);
      await strip(join(CLI, 'src'), dist);
      await strip(VERIFIER, join(dist, 'verify'));
      await rm(join(dist, 'verify', 'main.js'));
    },
  });
}

if (import.meta.main) await packSdk(resolve(process.argv[2] ?? '.'));
