import type { z } from 'zod';
import { operatorNames } from '../../accounts/operators/pages/operator-names.ts';
import { listShown } from '../../console/list-page.ts';
import { consolePage } from '../../console/page.ts';
import { badge, type Column } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { list } from '../routes.ts';
import { SkillRequestStatus, type ListedSkillRequest } from '../schema.ts';

export const REQUESTS_PATH = `${HOME}/requests`;

/** Characters of a description in the list; its own page has all. */
const SHOWN = 160;

const shortOf = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text);

/** A request, and by whom it is. */
type Row = ListedSkillRequest & { by: Html };

const columns: readonly Column<Row>[] = [
  {
    title: 'Looked for',
    cell: ({ id, description }) => named(shortOf(description), id),
    text: ({ description }) => description,
  },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  {
    title: 'At most',
    amount: true,
    cell: ({ max_price_cents: cents }) => (cents === null ? 'any price' : dollars(cents)),
    text: ({ max_price_cents: cents }) => cents,
  },
  {
    title: 'Tags',
    cell: ({ tags }) => html`${tags.map((tag) => html`<span class="badge">${tag}</span> `)}`,
    text: ({ tags }) => tags.join(', '),
  },
  { title: 'By', cell: ({ by }) => by, text: ({ operator_id: id }) => id },
  { title: 'Posted', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

/** The names of the operators of a page are read together. */
async function rowsOf(person: PersonsVisit, requests: readonly ListedSkillRequest[]): Promise<Row[]> {
  const ids = requests.map(({ operator_id: id }) => id);
  const operators = await operatorNames(person, ids);
  return requests.map((request) => ({ ...request, by: operators.short(request.operator_id) }));
}

/** The requests of all operators. */
export const boardPage = consolePage({
  operation: 'requestsPage',
  path: REQUESTS_PATH,
  show: (person) =>
    listShown(person, list, {
      title: 'Requests',
      beside: html`<a class="button primary" href="${REQUESTS_PATH}/new">Post a request</a>`,
      lead: 'What operators look for and have not found. Everybody who is signed in reads it.',
      id: 'requests',
      rows: (reply: z.output<typeof list.reply>) => rowsOf(person, reply.skill_requests),
      columns,
      filters: [
        {
          name: 'status',
          label: 'State',
          kind: 'choice',
          options: SkillRequestStatus.options.map((status) => [status, status]),
        },
      ],
      nothing: html`Nobody looks for anything. <a href="${REQUESTS_PATH}/new">Say what you need</a>: providers read it here.`,
      changes: ({ id }) => id,
      looks: true,
    }),
});
