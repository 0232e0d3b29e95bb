import { listShown } from '../../../console/list-page.ts';
import { consolePage } from '../../../console/page.ts';
import type { Column } from '../../../console/parts.ts';
import { HOME, idLink, pageOfId } from '../../../console/places.ts';
import { readable } from '../../../console/readable.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { getAuditEvents } from '../routes.ts';
import type { AuditEvent } from '../schema.ts';

const AUDIT_PATH = `${HOME}/audit`;

/** Who or what, and the rest of the trail about it: what has no page leads there itself. */
function link(id: string, filter: 'actor' | 'target'): Html {
  const all = `?${new URLSearchParams({ [filter]: id }).toString()}`;
  return pageOfId(id) === undefined
    ? html`<a href="${all}"><code>${id}</code></a>`
    : html`${idLink(id)} <a class="small" href="${all}">all</a>`;
}

const detailOf = ({ detail, request_id: request }: AuditEvent): Html =>
  html`<details><summary>${Object.keys(detail).length === 0 ? 'Request' : Object.keys(detail).join(', ')}</summary><pre class="wrapped"><code>${readable(detail)}</code></pre>${request === null ? html`` : html`<span class="small muted">request <code>${request}</code></span>`}</details>`;

const columns: readonly Column<AuditEvent>[] = [
  { title: 'When', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'What', cell: ({ action }) => html`<code>${action}</code>`, text: ({ action }) => action },
  { title: 'Whom or what', cell: ({ target }) => link(target, 'target'), text: ({ target }) => target },
  { title: 'By', cell: ({ actor }) => link(actor, 'actor'), text: ({ actor }) => actor },
  { title: 'Details', cell: detailOf, text: ({ detail }) => JSON.stringify(detail) },
];

const auditPage = consolePage({
  operation: 'auditPage',
  path: AUDIT_PATH,
  show: (person) =>
    listShown(person, getAuditEvents, {
      title: 'Audit',
      lead: html`What was changed, by whom, newest first. A page with filters looks through 5,000 events: where it is short and says <em>Older</em>, read on.`,
      id: 'audit',
      label: 'Audit trail',
      rows: (reply) => reply.audit_events,
      columns,
      filters: [
        { name: 'action', label: 'What (how it begins)', kind: 'text' },
        { name: 'actor', label: 'By', kind: 'text' },
        { name: 'target', label: 'Whom or what', kind: 'text' },
      ],
      nothing: 'Nothing was changed yet.',
    }),
});

export const auditPages: readonly PathOfPeoplePage[] = [auditPage];
