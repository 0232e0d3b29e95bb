import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { meter } from '../../console/charts.ts';
import { facts } from '../../console/parts.ts';
import type { Allowance, Usage } from '../metering/schema.ts';

const MEGABYTE = 1_048_576;
const megabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);

const charged = (what: string, { overage }: Allowance): Html[] =>
  overage === 0
    ? []
    : [html`<p class="notice warning">${what}: ${overage} were beyond the allowance and were charged.</p>\n`];

/** The allowances, seats and storage of the tier, and how much of them is used. */
export function usagePart({ allowances, allowance_period: period, usage, seats, storage }: Usage): Html {
  const counted = [
    ['Metered actions', allowances.metered_actions],
    ['Classifications by a model', allowances.l3_classifications],
    ['SMS', allowances.sms],
    ['E-mail', allowances.email],
  ] as const;
  return html`<h2>What your tier includes</h2>
<section class="card"><ul class="meters">
${counted.map(([what, { used, included }]) => meter(what, used, included))}${meter('Seats', seats.seats_in_use, seats.total_seats)}${meter('Storage in MiB', megabytes(storage.used_bytes), storage.included_bytes === null ? null : megabytes(storage.included_bytes))}</ul>
${counted.flatMap(([what, allowance]) => charged(what, allowance))}<p class="muted">Allowances start again ${moment(period.end)}. Storage is as it was last night.</p>
${facts([
  ['Passports this month', usage.passports],
  ['Invocations this month', usage.skill_invocations],
  ['Agents', usage.agents],
  ['Published skills', usage.published_skills],
])}</section>
`;
}
