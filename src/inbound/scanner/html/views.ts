import type { Run } from '../text/normalise.ts';
import { looksLikeHtml, runsOfHtml } from './runs.ts';

/** HTML is read up to this many code units. */
const MAX_HTML = 2_097_152;

export interface Views {
  runs: Run[];
  /** Fields whose HTML is longer than is read. */
  cut: number[];
}

/**
 * Everything in the fields that somebody may read, each way after the other: what is seen, what is not, and HTML in the order of its source. None stands between the
 * words of another. A text that only looks like HTML is read as it stands too, since nobody knows which of both its reader does.
 */
export function viewsOf(fields: readonly { text: string; isHtml: boolean }[]): Views {
  const visible: Run[] = [];
  const hidden: Run[] = [];
  const whole: Run[] = [];
  const cut: number[] = [];
  for (const [field, { text, isHtml }] of fields.entries()) {
    if (!isHtml) visible.push({ field, start: 0, end: text.length, hidden: undefined, apart: true });
    if (!isHtml && !looksLikeHtml(text)) continue;
    if (text.length > MAX_HTML) cut.push(field);
    const runs = runsOfHtml(text.slice(0, MAX_HTML), field);
    for (const run of runs.visible) visible.push(run);
    for (const run of runs.hidden) hidden.push(run);
    for (const run of runs.whole) whole.push(run);
  }
  for (const run of hidden) visible.push(run);
  for (const run of whole) visible.push(run);
  return { runs: visible, cut };
}
