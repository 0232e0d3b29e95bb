import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { asCurl } from '../../console/list.ts';
import { listShown } from '../../console/list-page.ts';
import { consolePage } from '../../console/page.ts';
import { badge, facts, type Column } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { decides } from '../../console/visits.ts';
import { getEvent, getEvents } from '../routes.ts';
import { EventFilterSchema, severities, type Severity } from '../types.ts';

export const EVENTS_PATH = `${HOME}/events`;

const toneOf = (severity: Severity): string => ({ info: 'info', warning: 'warning', critical: 'error' })[severity];

interface Row {
  id: string;
  event_type: string;
  severity: Severity;
  payload: object;
  timestamp: string;
}

/** Ids in a payload lead to their pages; other members are on the page of the event. */
const aboutOf = (payload: object): string[] =>
  Object.values(payload).filter(
    (value): value is string => typeof value === 'string' && /^[a-z]{2,5}_\w+$/.test(value),
  );

const columns: readonly Column<Row>[] = [
  { title: 'Event', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  { title: 'Type', cell: ({ event_type: type }) => html`<code>${type}</code>`, text: ({ event_type: type }) => type },
  { title: 'Severity', cell: ({ severity }) => badge(severity, toneOf(severity)), text: ({ severity }) => severity },
  { title: 'About', cell: ({ payload }) => html`${aboutOf(payload).map((id) => html`${idLink(id)} `)}` },
  { title: 'Happened', cell: ({ timestamp }) => moment(timestamp), text: ({ timestamp }) => timestamp },
];

/** The feed, from its end: a person who opens it asks what has just happened. */
const eventsPage = consolePage({
  operation: 'eventsPage',
  path: EVENTS_PATH,
  async show(person) {
    return await listShown(person, getEvents, {
      title: 'Events',
      lead: 'What happened, the newest first. Events are kept for 30 days.',
      id: 'events',
      input: { query: { order: 'newest' } },
      rows: ({ events }) => events,
      columns,
      filters: [
        {
          name: 'event_type',
          label: 'Type',
          kind: 'choice',
          options: EventFilterSchema.options.map((type) => [type, type]),
        },
        { name: 'severity', label: 'Severity', kind: 'choice', options: severities.map((one) => [one, one]) },
        { name: 'since', label: 'Since the day', kind: 'date' },
      ],
      nothing: html`No event was written in the last 30 days. Those of invocations, of the wallet and of inbound endpoints are written only while a <a href="${HOME}/rules">rule</a> names them; the <a href="${HOME}/audit">audit trail</a> says who changed what.`,
      looks: true,
    });
  },
});

const eventPage = consolePage({
  operation: 'eventPage',
  path: `${EVENTS_PATH}/:id`,
  async show(person) {
    const { visit } = person;
    const { body: event } = await visit.call(getEvent, { params: { id: visit.id } });
    return {
      title: 'Event',
      body: html`<h1>Event</h1>
<p class="lead"><code>${event.event_type}</code> ${badge(event.severity, toneOf(event.severity))}</p>
<section class="card">${facts([
        ['Id', html`<code>${event.id}</code>`],
        ['Happened', moment(event.timestamp)],
        ['About', html`${aboutOf(event.payload).map((id) => html`${idLink(id)} `)}`],
        [
          'Deliveries',
          decides(person) ? html`<a href="${HOME}/deliveries?event_id=${event.id}">Where it was sent</a>` : null,
        ],
      ])}</section>
<section class="card"><h2>Payload</h2><pre class="wrapped" tabindex="0"><code>${readable(event.payload)}</code></pre></section>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/events/${event.id}` })}`,
    };
  },
});

export const eventPages: readonly PathOfPeoplePage[] = [eventsPage, eventPage];
