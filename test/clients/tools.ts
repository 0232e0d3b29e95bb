import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/embedded/temporal-binary.ts';
import { blockOf, type Block } from '../support/pasted.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
/** Registries and a first build in Go are slow. */
export const INSTALL_MS = 300_000;

/** The files that the commands of a page need around them, in a folder of their own. */
export interface Tools {
  /** The call that shows that the machine has the language. */
  needs: [command: string, ...args: string[]];
  /** Puts into `folder` what the commands need there. @returns variables for them */
  prepare(folder: string): Promise<Record<string, string>>;
}

const firstInPath = (folder: string): string => `${folder}${delimiter}${process.env['PATH'] ?? ''}`;

/** Runs the blocks of docs/clients.md that install something, in this folder. */
async function runInstalling(
  blocks: readonly Promise<Block>[],
  { folder, variables }: { folder: string; variables: Record<string, string> },
): Promise<void> {
  for (const { code } of await Promise.all(blocks))
    await run('bash', ['-e', '-u', '-c', code], {
      cwd: folder,
      env: { ...process.env, ...variables },
      timeout: INSTALL_MS,
    });
}

export interface Installation {
  /** The file that pins all versions; the commands of the page name the first of them alone. */
  list: string;
  blocks: readonly Promise<Block>[];
  install(folder: string): Promise<unknown>;
}

/** The folder in which these commands were run with this list, once for all runs; changed ones are another folder. */
export async function installed(name: string, { list, blocks, install }: Installation): Promise<string> {
  const commands = (await Promise.all(blocks)).map(({ code }) => code).join('\n');
  const digest = hash('sha256', `${commands}\n${await readFile(list, 'utf8')}`).slice(0, 16);
  const kept = join(cacheFolder(), `clients-${name}-${digest}`);
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
    const blocks = [
      blockOf('docs/clients.md', 'openapi-typescript: install'),
      blockOf('docs/clients.md', 'hey-api: install'),
    ];
    const variables = { npm_config_ignore_scripts: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    const install = async (made: string): Promise<void> => {
      for (const file of ['package.json', 'package-lock.json'])
        await copyFile(join(HERE, 'typescript', file), join(made, file));
      await runInstalling(blocks, { folder: made, variables });
    };
    const packages = await installed('typescript', { list, blocks, install });
    await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
    await copyFile(join(packages, 'package.json'), join(folder, 'package.json'));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    return { PATH: firstInPath(dirname(process.execPath)) };
  },
};

/** No page names their versions: a reader takes the client that they have. */
export const mcp: Pick<Tools, 'prepare'> = {
  async prepare(folder) {
    const list = join(HERE, 'mcp', 'package-lock.json');
    const install = async (made: string): Promise<void> => {
      for (const file of ['package.json', 'package-lock.json'])
        await copyFile(join(HERE, 'mcp', file), join(made, file));
      const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
      await run('npm', ['ci', ...flags], { cwd: made, timeout: INSTALL_MS });
    };
    const packages = await installed('mcp', { list, blocks: [], install });
    await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
    return {};
  },
};

export const python: Tools = {
  needs: ['python3', '-m', 'pip', '--version'],
  async prepare() {
    const list = join(HERE, 'python', 'requirements.txt');
    const { stdout: version } = await run('python3', ['-c', 'import sys; print(sys.implementation.cache_tag)']);
    const blocks = [blockOf('docs/clients.md', 'openapi-python-client: install')];
    const install = (made: string): Promise<void> =>
      runInstalling(blocks, { folder: made, variables: { PIP_TARGET: made, PIP_CONSTRAINT: list, PIP_QUIET: '1' } });
    const packages = await installed(`python-${version.trim()}`, { list, blocks, install });
    return { PATH: firstInPath(join(packages, 'bin')), PYTHONPATH: packages };
  },
};

export const go: Tools = {
  needs: ['go', 'version'],
  async prepare(folder) {
    for (const file of ['go.mod', 'go.sum']) await copyFile(join(HERE, 'go', file), join(folder, file));
    await runInstalling([blockOf('docs/clients.md', 'oapi-codegen: install')], { folder, variables: {} });
    return {};
  },
};
