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
