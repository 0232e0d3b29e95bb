import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, LaunchOptions } from 'playwright-core';

const FOLDER = join(import.meta.dirname, 'chromium');
const UNPACKED = join(FOLDER, 'node_modules/.chromium');

let begun: Promise<Browser | null> | undefined;

/**
 * The Chromium of this process, started when it is first asked for; null where none can be had, which is said once. On Linux with x64
 * processors it is the one of npm's packages, installed now unless it is there: the machine needs neither a browser nor fonts. Elsewhere it
 * is the Chrome or Chromium that is installed.
 *
 * `@sparticuz/chromium` has the program in the package itself, with the libraries that a bare Debian lacks, for x64 Linux alone. It comes with the
 * fonts from a `package.json` of its own: 7 seconds once, 86 MB from the registry, 290 MB in the folder. Rejected: a dependency of the project,
 * since each start on a fresh machine would load 349 MB in place of 285; Debian's `chromium` (124 MB, 414 MB unpacked), which needs root, has the
 * version of the day and changes the machine; Playwright's own download, which comes from no registry; the fonts of the machine, with which a page
 * would be as wide as the machine has it: without fonts Chromium draws no text. CI installs it as a stage, so it cannot go missing there unseen.
 *
 * It runs without a sandbox, since root has none: it visits the instance of the tests alone.
 */
export const chromium = (): Promise<Browser | null> => (begun ??= start());

/** Ends it where it was started. */
export async function closeChromium(): Promise<void> {
  const browser = await begun;
  begun = undefined;
  await browser?.close();
}

async function start(): Promise<Browser | null> {
  const reasons: string[] = [];
  for (const find of [ofPackages, ...installed]) {
    try {
      const { chromium: engine } = await import('playwright-core');
      return await engine.launch(await find());
    } catch (error) {
      reasons.push(String(error).split('\n')[0] ?? '');
    }
  }
  process.stdout.write(
    `carnet: no Chromium can be had here, so pages are checked over HTTP alone (${reasons.join('; ')})\n`,
  );
  return null;
}

async function ofPackages(): Promise<LaunchOptions> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`the packages have none for ${process.platform}-${process.arch}`);
  const script = join(import.meta.dirname, '../../scripts/install.mjs');
  await promisify(execFile)(process.execPath, [script, FOLDER]);
  return {
    executablePath: join(UNPACKED, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(UNPACKED, 'lib'),
      FONTCONFIG_FILE: join(FOLDER, 'fonts.conf'),
    },
  };
}

const installed: readonly (() => LaunchOptions)[] = [
  () => ({ channel: 'chrome' }),
  () => ({ executablePath: '/usr/bin/chromium' }),
];
