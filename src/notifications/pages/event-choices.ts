import { sentence } from '../../console/readable.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { eventCatalogue } from '../../events/index.ts';

/** The types that a rule may name, by family. */
const families = Map.groupBy(
  eventCatalogue().filter(({ for_rules: nameable }) => nameable),
  ({ event_type: type }) => type.slice(0, type.indexOf('.')),
);

/** A box for each type of event, by family, and one for all of a family, which has those that come later too. */
export function eventChoices(chosen: readonly string[], fault: string | undefined): Html {
  const box = (name: string, words: Html): Html =>
    html`<label><input type="checkbox" name="events" value="${name}"${chosen.includes(name) ? html` checked` : html``}><span>${words}</span></label>\n`;
  const family = ([name, types]: readonly [string, ReturnType<typeof eventCatalogue>]): Html =>
    html`<fieldset><legend>${name}</legend>
${box(`${name}.*`, html`<code>${name}.*</code> <span class="hint">All of them, and those that are added later.</span>`)}<div class="boxes">${types.map(({ event_type: type, description }) => box(type, html`<code>${type}</code> <span class="hint">${sentence(description)}</span>`))}</div></fieldset>
`;
  return html`<fieldset><legend>Events</legend>${fault === undefined ? html`` : html`<span class="fault">${fault}</span>`}
${[...families].map(family)}</fieldset>
`;
}
