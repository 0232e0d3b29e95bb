import { listShown } from '../../console/list-page.ts';
import { consolePage } from '../../console/page.ts';
import { badge, type Column } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { dollars } from '../../fields/dollars.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { list } from '../routes.ts';
import { SkillRequestStatus, type ListedSkillRequest } from '../schema.ts';

export const REQUESTS_PATH = `${HOME}/requests`;

/** Characters of a description in the list; its own page has all. */
const SHOWN = 160;

const shortOf = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text);

const columns: readonly Column<ListedSkillRequest>[] = [
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
  { title: 'By', cell: ({ operator_id: id }) => idLink(id), text: ({ operator_id: id }) => id },
  { title: 'Posted', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

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
      rows: (reply) => reply.skill_requests,
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
