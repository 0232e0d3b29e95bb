import { readFileSync } from 'node:fs';
import { etagOf } from '../../json/prepared.ts';
import { keptPage } from './kept-page.ts';
import type { NamedPage, PathOfPage } from './page.ts';

const read = (name: string): Buffer => readFileSync(new URL(`assets/${name}`, import.meta.url));

const stylesheet = read('carnet.css');

/**
 * The address that pages name for a file. The version makes browsers fetch that of a new release immediately; it is no part of the path, so
 * that processes of two releases, side by side while one replaces the other, both answer it.
 */
export const assetAddress = (path: string, bytes: Buffer): string => `${path}?v=${etagOf(bytes).slice(1, -1)}`;

export const STYLESHEET = assetAddress('/assets/carnet.css', stylesheet);

/** The mark in the header of each page and in the tab of the browser. */
export const ICON = '/favicon.svg';

const MINUTES = 'public, max-age=300';
const DAY = 'public, max-age=86400';

/** The assets that all pages share. Browsers fetch `/favicon.ico` where they show what is no page of ours, the OpenAPI document say. */
export const assetPages = (): PathOfPage[] => [
  ['/assets/carnet.css', asset({ type: 'text/css; charset=utf-8', bytes: stylesheet })],
  [ICON, asset({ type: 'image/svg+xml', bytes: read('favicon.svg'), cacheControl: DAY })],
  ['/favicon.ico', asset({ type: 'image/x-icon', bytes: read('favicon.ico'), cacheControl: DAY })],
];

/** @param file cacheControl: five minutes unless it says otherwise */
export const asset = ({
  type,
  bytes,
  cacheControl = MINUTES,
}: {
  type: string;
  bytes: Buffer;
  cacheControl?: string;
}): NamedPage => keptPage({ operation: 'asset', type, cacheControl, load: () => bytes });
