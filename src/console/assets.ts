import { readFileSync } from 'node:fs';
import { asset, assetAddress } from '../http/pages/assets.ts';
import type { PathOfPage } from '../http/pages/page.ts';

const script = readFileSync(new URL('assets/console.js', import.meta.url));

const SCRIPT_PATH = '/assets/console.js';
export const CONSOLE_SCRIPT = assetAddress(SCRIPT_PATH, script);

/** The files that pages of the console load beside those of all pages. */
export const consoleAssets = (): PathOfPage[] => [
  [SCRIPT_PATH, asset({ type: 'text/javascript; charset=utf-8', bytes: script })],
];
