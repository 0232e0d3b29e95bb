import { badge } from '../../console/parts.ts';
import { decides, type PersonsVisit } from '../../console/visits.ts';
import type { Shown } from '../../console/page.ts';
import { HOME } from '../../console/places.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Destination } from '../destinations/schema.ts';

export const DESTINATIONS_PATH = `${HOME}/destinations`;
export const RULES_PATH = `${HOME}/rules`;
export const DELIVERIES_PATH = `${HOME}/deliveries`;

/** How a destination stands, the gravest first: a person looks for what keeps it from receiving. */
export function stateOf({
  disabled_at: disabled,
  paused,
  verified,
  held_until: held,
  slow_since: slow,
}: Pick<Destination, 'disabled_at' | 'paused' | 'verified' | 'held_until' | 'slow_since'>): {
  word: string;
  shown: Html;
} {
  const state = (word: string, tone: string) => ({ word, shown: badge(word, tone) });
  if (disabled !== null) return state('stopped', 'error');
  if (!verified) return state('not verified', 'warning');
  if (paused) return state('paused by the tier', 'warning');
  if (held !== null && Date.parse(held) > Date.now()) return state('held back', 'warning');
  return slow === null ? state('verified', 'good') : state('slow', 'warning');
}

/** In place of a page that the API shows to owners and administrators alone; null: this person is one. */
export const forOthers = (person: PersonsVisit, title: string): Shown | null =>
  decides(person)
    ? null
    : {
        title,
        body: html`<h1>${title}</h1>
<p class="empty">Owners and administrators see and change where notifications go. You can read <a href="${HOME}/events">what happened</a>.</p>
`,
      };
