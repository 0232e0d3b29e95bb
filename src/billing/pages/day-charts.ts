import type { z } from 'zod';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { bars, type Bar } from '../../console/charts.ts';
import { DAYS } from '../statement/days.ts';
import type { DaysSchema } from '../statement/schema.ts';
import { typeWords } from './words.ts';

const DAY_MS = 86_400_000;

type Sums = z.infer<typeof DaysSchema>['sums'];

const bar = (label: string, sums: Sums): Bar => {
  const value = sums.reduce((sum, { out_cents: out }) => sum + out, 0);
  return { label, value, text: dollars(value) };
};

/** The days that are summed, today last. */
const daysUntil = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, at) => new Date(now - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10));

/** The causes, the dearest first, each with its name: under bars there is no room for names. */
function shares(causes: readonly Bar[]): Html {
  const most = Math.max(...causes.map(({ value }) => value));
  return html`<figure class="chart">
<figcaption>The same by cause</figcaption>
<table><tbody>
${causes.map(
  ({ label, value, text }) =>
    html`<tr><th scope="row">${label}<svg class="took" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" x="0" y="0" width="${Math.max(0.5, (value / most) * 100).toFixed(1)}" height="4"/></svg></th><td>${text}</td></tr>\n`,
)}</tbody></table>
</figure>
`;
}

/** The money that went out of the wallet by day and by cause, from sums that the service has read in a bounded time. */
export function dayCharts({ sums, since, complete }: z.infer<typeof DaysSchema>): Html {
  const days = daysUntil(Date.now()).map((day) =>
    bar(
      day,
      sums.filter((sum) => sum.day === day),
    ),
  );
  const causes = Object.entries(typeWords)
    .map(([type, words]) =>
      bar(
        words,
        sums.filter((sum) => sum.type === type),
      ),
    )
    .filter(({ value }) => value > 0)
    .toSorted((one, other) => other.value - one.value);
  if (causes.length === 0) return html`<p class="muted">Nothing went out in the last ${DAYS} days.</p>\n`;
  return html`<div class="columns"><section class="card">${bars(`Out of the wallet by day, the last ${DAYS} days`, days)}</section>
<section class="card">${shares(causes)}</section></div>
${complete ? html`` : html`<p class="muted">There are more rows than a chart reads: the sums begin ${moment(since)}.</p>\n`}`;
}
