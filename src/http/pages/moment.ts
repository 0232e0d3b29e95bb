import { html, type Html } from './html.ts';

/** `2026-11-21 12:03 UTC`, in a `time` element that programs can read too. */
export const moment = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
