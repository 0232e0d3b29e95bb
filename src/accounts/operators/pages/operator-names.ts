import { HOME } from '../../../console/places.ts';
import type { PersonsVisit } from '../../../console/visits.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { findOperatorNames } from '../queries.ts';

/** How the operators of a page are shown, by the names that others know them by. */
interface OperatorNames {
  /** In a row of a list: the id is there on hover. */
  short(id: string): Html;
  /** Where there is room: with the id beside the name. */
  whole(id: string): Html;
}

/** The names of all operators of a page, read together. For people of the platform each leads to the page of the operator. */
export async function operatorNames({ visit, caller }: PersonsVisit, ids: readonly string[]): Promise<OperatorNames> {
  const names = await findOperatorNames(visit.context.pool, ids);
  const nameOf = (id: string): string => names.get(id) ?? id;
  const linked = (id: string, text: Html): Html =>
    caller.platform ? html`<a href="${HOME}/operators/${id}">${text}</a>` : text;
  return {
    short: (id) => (id === caller.operatorId ? html`you` : linked(id, html`<span title="${id}">${nameOf(id)}</span>`)),
    whole: (id) =>
      id === caller.operatorId ? html`you` : html`${linked(id, html`${nameOf(id)}`)} <code class="small">${id}</code>`,
  };
}
