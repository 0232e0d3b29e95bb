import { actForm, type Entered } from '../../console/page.ts';
import { HOME } from '../../console/places.ts';
import { schemaForm } from '../../console/schema-form.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { JsonObject } from '../../json/value.ts';

/** A run that a person may begin. */
interface Run {
  skillId: string;
  schema: JsonObject;
  /** The price of the skill, in cents; 0 where it is their own. A dearer run is refused. */
  priceCents: number;
  /** The most that executing it costs beside, in cents; null: its provider does the work. */
  computeCents: number | null;
  /** Fields behind those of the input. */
  more?: Html;
  entered?: Entered | undefined;
}

/** Where runs are begun: the form may stand on other pages too. */
export const TRY_PATH = `${HOME}/try`;

function costOf({ priceCents, computeCents }: Run): Html {
  const price =
    priceCents === 0
      ? html`You pay no price for it.`
      : html`A run costs <strong>${dollars(priceCents)}</strong>, paid when it completes.`;
  const computing =
    computeCents === null ? html`` : html` Executing it costs at most <strong>${dollars(computeCents)}</strong>.`;
  const held = priceCents + (computeCents ?? 0);
  return html`<p>${price}${computing}${held === 0 ? html`` : html` ${dollars(held)} is held when you press; what is not used is given back.`}</p>\n`;
}

/** The form of a run, with what it costs. */
export function runForm(person: PersonsVisit, run: Run): Html {
  const { skillId, schema, priceCents, more = html``, entered } = run;
  const path = `${TRY_PATH}/${encodeURIComponent(skillId)}`;
  const { fields, ...form } = schemaForm(person, { root: 'input', schema, path, entered });
  return html`${costOf(run)}${actForm({
    ...form,
    act: 'run',
    fields: html`${fields}${more}`,
    hidden: { max_price_cents: String(priceCents) },
    label: priceCents === 0 ? 'Run it' : `Run it for ${dollars(priceCents)}`,
    tone: 'primary',
  })}`;
}
