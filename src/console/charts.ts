import { html, type Html } from '../http/pages/html.ts';
import { moment } from '../http/pages/moment.ts';
import { badge } from './parts.ts';

/*
 * Charts are drawn on the server, as SVG with a table of the same figures: they need no script, and their colours follow the stylesheet.
 * Attributes alone, since the policy of pages forbids inline styles.
 */

const WIDTH = 640;
const HEIGHT = 142;
const BASE = 140;
/** A few bars are no wider than this: one alone would be a wall. */
const WIDEST_BAR = 48;

/** One bar a label. `text` is how its value is written. */
export interface Bar {
  label: string;
  value: number;
  text: string;
}

/** Bars of amounts over days or causes, in the order given; the table below has the figures. */
export function bars(title: string, all: readonly Bar[]): Html {
  const most = Math.max(...all.map(({ value }) => value), 0);
  if (most === 0) return html``;
  const slot = WIDTH / all.length;
  const width = Math.min(slot * 0.7, WIDEST_BAR);
  const bar = ({ label, value, text }: Bar, at: number): Html => {
    if (value <= 0) return html``;
    const height = Math.max(2, (value / most) * (BASE - 10)).toFixed(0);
    const from = (at * slot + Math.min(slot * 0.15, 8)).toFixed(1);
    return html`<path d="M${from} ${BASE}v-${height}h${width.toFixed(1)}v${height}z"><title>${label}: ${text}</title></path>`;
  };
  const [first] = all;
  const last = all.at(-1);
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the figures are below">
<line class="axis" x1="0" y1="${BASE}" x2="${WIDTH}" y2="${BASE}"/><g class="bar">${all.map(bar)}</g>
</svg>
<p class="ends" aria-hidden="true"><span>${first?.label ?? ''}</span><span>${all.length > 1 ? (last?.label ?? '') : ''}</span></p>
<details><summary>The figures</summary><table><tbody>${all.map(({ label, text }) => html`<tr><th>${label}</th><td>${text}</td></tr>\n`)}</tbody></table></details>
</figure>
`;
}

/** Parts of a whole in one line, each with its tone; a reader without it has the figures beside it, so it has no words of its own. */
export function shares(
  parts: readonly { value: number; tone: 'good' | 'warning' | 'error' | 'muted' | 'rest' }[],
): Html {
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  if (whole === 0) return html``;
  let from = 0;
  const drawn = parts.map(({ value, tone }) => {
    const x = from;
    from += (value / whole) * 100;
    return html`<rect class="share ${tone}" x="${x.toFixed(2)}" y="0" width="${(from - x).toFixed(2)}" height="4"/>`;
  });
  return html`<svg class="took" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg>`;
}

/** 10000000 as 10,000,000. */
const count = (amount: number): string => amount.toLocaleString('en-US');

/** How much of an allowance is used; null: it has no limit. */
export const meter = (what: string, used: number, allowed: number | null): Html =>
  allowed === null
    ? html`<li><span>${what}</span> <span class="amount">${count(used)}, no limit</span></li>\n`
    : html`<li><label><span>${what}</span> <span class="amount">${count(used)} of ${count(allowed)}</span><meter min="0" max="${Math.max(allowed, 1)}" high="${Math.max(allowed * 0.9, 0)}" value="${Math.min(used, allowed)}">${used} of ${allowed}</meter></label></li>\n`;

/** A moment of something that takes its time, come or to come. */
export interface Milestone {
  /** The words for that which happened. */
  what: Html | string;
  /** ISO 8601; null: it has not happened yet. */
  at: string | null;
  state?: string;
  detail?: Html;
}

/** As people say it: 1.4 s, 3 min 5 s, 2 h 10 min, 3 d. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
  return `${(seconds / 86_400).toFixed(1)} d`;
}

/** Milestones in order, each with how long it took since the one before, drawn to scale. */
export function timeline(label: string, milestones: readonly Milestone[]): Html {
  const times = milestones.map(({ at }) => (at === null ? null : Date.parse(at)));
  const known = times.filter((time) => time !== null);
  const whole = Math.max((known.at(-1) ?? 0) - (known[0] ?? 0), 1);
  const item = ({ what, at, state, detail = html`` }: Milestone, index: number): Html => {
    const time = times[index] ?? null;
    const before = times.slice(0, index).findLast((one) => one !== null) ?? null;
    const took = time === null || before === null ? null : time - before;
    const drawn =
      took === null
        ? html``
        : html`<svg class="took" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" x="0" y="0" width="${Math.max(0.5, (took / whole) * 100).toFixed(1)}" height="4"/></svg><div class="muted small">after ${duration(took)}</div>`;
    return html`<li${at === null ? html` class="to-come"` : html``}><div><strong>${what}</strong> ${state === undefined ? html`` : badge(state)} <span class="muted">${at === null ? 'not yet' : moment(at)}</span></div>${drawn}${detail.text === '' ? html`` : html`<div>${detail}</div>`}</li>\n`;
  };
  return html`<ol class="timeline" aria-label="${label}">
${milestones.map(item)}</ol>
`;
}

/** A node of a tree, a passport and what was delegated from it say. */
export interface TreeNode {
  content: Html;
  children: readonly TreeNode[];
}

const branches = (nodes: readonly TreeNode[]): Html =>
  nodes.length === 0
    ? html``
    : html`<ul>
${nodes.map(({ content, children }) => html`<li>${content}${branches(children)}</li>\n`)}</ul>`;

export const tree = (label: string, roots: readonly TreeNode[]): Html =>
  html`<div class="tree" role="group" aria-label="${label}">${branches(roots)}</div>\n`;
