import { readFileSync } from 'node:fs';
import { asset, assetAddress } from '../../http/pages/assets.ts';
import type { PathOfPage } from '../../http/pages/page.ts';

const script = readFileSync(new URL('assets/verify.js', import.meta.url));

const SCRIPT_PATH = '/assets/verify.js';
/** Verifies a claim in the browser. */
export const VERIFY_SCRIPT = assetAddress(SCRIPT_PATH, script);

export const claimAssets = (): PathOfPage[] => [
  [SCRIPT_PATH, asset({ type: 'text/javascript; charset=utf-8', bytes: script })],
];
