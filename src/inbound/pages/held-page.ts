import { listOf } from '../../console/list.ts';
import { consolePage } from '../../console/page.ts';
import type { Column } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { decides, oneOf } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { getHeld, getHeldRead } from '../events/held-routes.ts';
import type { HeldEvent, ReadHeldEvent } from '../events/schema.ts';
import { endpointName, INBOUND_EVENTS_PATH, verdictBadge } from './parts.ts';

const HELD_PATH = `${HOME}/held`;

const endpointOf = ({ endpoint_name: name, provider }: HeldEvent): string => endpointName({ name, provider });

const linkTo = ({ id, endpoint_id: endpoint }: HeldEvent, words: Html): Html =>
  html`<a href="${INBOUND_EVENTS_PATH}/${id}?endpoint=${endpoint}">${words}</a>`;

const event: Column<HeldEvent> = {
  title: 'Event',
  cell: (row) => linkTo(row, html`<code>${row.id}</code>`),
  text: ({ id }) => id,
};

const rest: readonly Column<HeldEvent>[] = [
  { title: 'Verdict', cell: ({ verdict }) => verdictBadge(verdict), text: ({ verdict }) => verdict?.verdict ?? null },
  {
    title: 'Findings',
    cell: ({ verdict, reason }) =>
      verdict === null
        ? (reason ?? '').replaceAll('_', ' ')
        : html`${[...new Set(verdict.findings.map(({ detector_key: key }) => key))].map((key) => html`<code>${key}</code> `)}`,
    text: ({ verdict }) => verdict?.findings.map(({ detector_key: key }) => key).join(' ') ?? null,
  },
  {
    title: 'Endpoint',
    cell: (row) => named(endpointOf(row), row.endpoint_id),
    text: ({ endpoint_id: id }) => id,
  },
  { title: 'Agent', cell: ({ agent_id: id }) => idLink(id), text: ({ agent_id: id }) => id },
  { title: 'Came', cell: ({ received_at: at }) => moment(at), text: ({ received_at: at }) => at },
  { title: 'Kept', cell: ({ content_kept: kept }) => (kept ? 'yes' : 'no longer') },
];

/** A sender chooses both texts. They come first: by them somebody knows what it is, and not by its id. Null: none, or the reader was busy. */
const read: readonly Column<ReadHeldEvent>[] = [
  {
    title: 'Subject',
    cell: (row) => linkTo(row, html`<bdi>${row.subject ?? 'Open it'}</bdi>`),
    text: ({ subject }) => subject,
  },
  { title: 'From', cell: ({ sender }) => html`<bdi>${sender ?? '–'}</bdi>`, text: ({ sender }) => sender },
  ...rest,
  event,
];

const list = {
  id: 'held',
  label: 'Held events',
  nothing: 'Nothing is held. What the policy of an endpoint holds stands here, until somebody replays it.',
};

/** The list over all endpoints: who decides about it sees who sent it, and what it is about. */
export const heldPage = consolePage({
  operation: 'heldPage',
  path: HELD_PATH,
  async show(person) {
    // A CSV has many pages, so it opens no content.
    const mayRead = decides(person) && oneOf(person.visit.query, 'csv') === '';
    const shown = mayRead
      ? await listOf(person, getHeldRead, {
          ...list,
          rows: (reply) => reply.events,
          columns: read,
        })
      : await listOf(person, getHeld, { ...list, rows: (reply) => reply.events, columns: [event, ...rest] });
    return (
      shown.csv ?? {
        title: 'Held',
        // A page that shows senders does not look again by itself: each look would be in the audit trail.
        ...(!mayRead && { live: { ids: shown.reply.events.map(({ id }) => id), looks: true } }),
        body: html`<h1>Held</h1>
<p class="lead">What came from outside and was not forwarded, at all <a href="${HOME}/inbound">endpoints</a>. ${mayRead ? 'Open one to read it, mark a finding as harmless or replay it. Each look at this page is in the audit trail.' : 'Owners and administrators see who sent it, read it and replay it.'}</p>
${shown.html}`,
      }
    );
  },
});
