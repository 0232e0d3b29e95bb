import { readFileSync } from 'node:fs';
import { etagOf } from '../../json/prepared.ts';
import { keptPage } from './kept-page.ts';
import type { NamedPage, PathOfPage } from './page.ts';

const read = (name: string): Buffer => readFileSync(new URL(`assets/${name}`, import.meta.url));

const stylesheet = read('carnet.css');

/**
 * The address that pages name as their stylesheet. The version makes browsers fetch that of a new release immediately; it is no part of the path, so
 * that processes of two releases, side by side while one replaces the other, both answer it.
 */
export const STYLESHEET = `/assets/carnet.css?v=${etagOf(stylesheet).slice(1, -1)}`;

/** The mark in the header of each page and in the tab of the browser. */
export const ICON = '/favicon.svg';

const MINUTES = 'public, max-age=300';
const DAY = 'public, max-age=86400';

/** The assets that all pages share. Browsers fetch `/favicon.ico` where they show what is no page of ours, the OpenAPI document say. */
export const assetPages = (): PathOfPage[] => [
  ['/assets/carnet.css', asset({ type: 'text/css; charset=utf-8', bytes: stylesheet, cacheControl: MINUTES })],
  [ICON, asset({ type: 'image/svg+xml', bytes: read('favicon.svg'), cacheControl: DAY })],
  ['/favicon.ico', asset({ type: 'image/x-icon', bytes: read('favicon.ico'), cacheControl: DAY })],
];

const asset = ({ type, bytes, cacheControl }: { type: string; bytes: Buffer; cacheControl: string }): NamedPage =>
  keptPage({ operation: 'asset', type, cacheControl, load: () => bytes });
