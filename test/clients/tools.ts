import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/embedded/temporal-binary.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
/** Registries and a first build in Go are slow. */
export const INSTALL_MS = 300_000;

/** What the commands of a page need around them, in a folder of their own. */
export interface Tools {
  /** What shows that the machine has the language. */
  needs: [command: string, ...args: string[]];
  /** Puts into `folder` what the commands need there. @returns variables for them */
  prepare(folder: string): Promise<Record<string, string>>;
}

const firstInPath = (folder: string): string => `${folder}${delimiter}${process.env['PATH'] ?? ''}`;

/** The folder in which this list of packages is installed, once for all runs; a changed list is another folder. */
async function installed(name: string, list: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const kept = join(cacheFolder(), `clients-${name}-${hash('sha256', await readFile(list)).slice(0, 16)}`);
  if (existsSync(kept)) return kept;
  const made = `${kept}.${process.pid}`;
  await mkdir(made, { recursive: true });
  await install(made);
  // Another run may have been faster.
  await rename(made, kept).catch(() => rm(made, { recursive: true }));
  return kept;
}

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
  },
  include: ['**/*.ts'],
};

export const typescript: Tools = {
  needs: ['npm', '--version'],
  async prepare(folder) {
    const list = join(HERE, 'typescript', 'package-lock.json');
    const packages = await installed('typescript', list, async (made) => {
      for (const file of ['package.json', 'package-lock.json'])
        await copyFile(join(HERE, 'typescript', file), join(made, file));
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: made, timeout: INSTALL_MS });
    });
    await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    return { PATH: firstInPath(dirname(process.execPath)) };
  },
};

export const python: Tools = {
  needs: ['python3', '-m', 'pip', '--version'],
  async prepare() {
    const list = join(HERE, 'python', 'requirements.txt');
    const { stdout: version } = await run('python3', ['-c', 'import sys; print(sys.implementation.cache_tag)']);
    const packages = await installed(`python-${version.trim()}`, list, (made) =>
      run('python3', ['-m', 'pip', 'install', '-q', '--no-deps', '--target', made, '-r', list], {
        timeout: INSTALL_MS,
      }),
    );
    return { PATH: firstInPath(join(packages, 'bin')), PYTHONPATH: packages };
  },
};

export const go: Tools = {
  needs: ['go', 'version'],
  async prepare(folder) {
    for (const file of ['go.mod', 'go.sum']) await copyFile(join(HERE, 'go', file), join(folder, file));
    return {};
  },
};
