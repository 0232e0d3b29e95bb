import type { z } from 'zod';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { shares } from '../../console/charts.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { asCurl, listOf } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered, type Form } from '../../console/page.ts';
import { sure, copyable, facts, momentOr, shownOnce, type Column } from '../../console/parts.ts';
import { idLink } from '../../console/places.ts';
import { decides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { deleteEndpoint, getEndpoint, patchEndpoint, postRotateSecret, postSample } from '../endpoints/routes.ts';
import {
  MakeSampleSchema,
  RotateEndpointSecretSchema,
  UpdateEndpointSchema,
  type Endpoint,
  type Sample,
} from '../endpoints/schema.ts';
import { getEvents } from '../events/routes.ts';
import { eventStatuses, type InboundEvent } from '../events/schema.ts';
import {
  endpointName,
  endpointState,
  eventBadge,
  INBOUND_EVENTS_PATH,
  INBOUND_PATH,
  verdictBadge,
  wordsOf,
} from './parts.ts';

const changeForm = schemaOf(UpdateEndpointSchema);
const changeOptions: FormOptions = {
  short: ['forward_url'],
  labels: { forward_url: 'Forward to', 'policy.block_at': 'Hold from this severity on', 'policy.mode': 'Mode' },
  hints: { forward_url: 'Empty: events are scanned and recorded.' },
};
const rotateForm = schemaOf(RotateEndpointSecretSchema);
const rotateOptions: FormOptions = {
  short: ['secret'],
  secret: ['secret'],
  labels: { immediate: 'End the secret before immediately', secret: 'Secret of the provider' },
  hints: {
    immediate: 'Else what is signed with it is taken for another 24 hours.',
    secret: 'Where the provider makes it; without one it is made here.',
  },
};
const sampleForm = schemaOf(MakeSampleSchema);
const sampleOptions: FormOptions = { labels: { kind: 'Kind' } };

/** An empty field of a name or an address clears it: left out it would stay. */
const changeOf = (form: Form): JsonObject => ({
  ...valueOf(changeForm, form, changeOptions),
  ...Object.fromEntries(
    ['name', 'forward_url'].flatMap((name) => (oneOf(form, name).trim() === '' ? [[name, null]] : [])),
  ),
});

const columns: readonly Column<InboundEvent>[] = [
  {
    title: 'Event',
    cell: ({ id, endpoint_id: endpoint }) =>
      html`<a href="${INBOUND_EVENTS_PATH}/${id}?endpoint=${endpoint}"><code>${id}</code></a>`,
    text: ({ id }) => id,
  },
  { title: 'State', cell: ({ status }) => eventBadge(status), text: ({ status }) => status },
  { title: 'Verdict', cell: ({ verdict }) => verdictBadge(verdict), text: ({ verdict }) => verdict?.verdict ?? null },
  {
    title: 'Findings',
    cell: ({ verdict }) =>
      html`${[...new Set(verdict?.findings.map(({ detector_key: key }) => key))].map((key) => html`<code>${key}</code> `)}`,
    text: ({ verdict }) => verdict?.findings.map(({ detector_key: key }) => key).join(' ') ?? null,
  },
  { title: 'Bytes', amount: true, cell: ({ size }) => size, text: ({ size }) => size },
  { title: 'Came', cell: ({ received_at: at }) => moment(at), text: ({ received_at: at }) => at },
];

/** The counters, each drawn as a part of all requests. */
function drawn({ counters }: Endpoint): Html {
  const whole = counters.received + counters.rejected + counters.duplicates;
  const named = [
    ['Clean', counters.clean, 'good'],
    ['Suspicious', counters.suspicious, 'warning'],
    ['Malicious', counters.malicious, 'error'],
    ['Forwarded', counters.forwarded, 'good'],
    ['Held', counters.blocked, 'warning'],
    ['Not forwarded', counters.forward_failed, 'error'],
    ['Refused', counters.rejected, 'muted'],
    ['Repeated', counters.duplicates, 'muted'],
  ] as const;
  return facts([
    ['Came', counters.received],
    ...named.map(
      ([label, value, tone]) =>
        [
          label,
          html`${value}${shares([
            { value, tone },
            { value: Math.max(0, whole - value), tone: 'rest' },
          ])}`,
        ] as const,
    ),
    ['Marked harmless', counters.marked_harmless],
    ['Last event', momentOr(counters.last_event_at, 'none yet')],
  ]);
}

/** The acts of owners and administrators, and revoking, which is everybody's: it only takes access away. */
function actsOf(person: PersonsVisit, endpoint: Endpoint, entered?: Entered): Html {
  if (endpoint.status === 'revoked') return html`<p class="muted">It is revoked for good: nothing is taken here.</p>\n`;
  const of = (act: string): { entered: Entered | undefined } => ({
    entered: enteredIn(act, entered),
  });
  const values = { name: endpoint.name, forward_url: endpoint.forward_url, policy: endpoint.policy };
  const administration = decides(person)
    ? html`<section class="card"><h2>Try it</h2><p>A signed sample, as the command that sends it. A hostile one holds an order to an agent, which the standard policy holds.</p>${actForm({ act: 'sample', label: 'Make a sample', fields: fieldsOf(sampleForm, sampleOptions, of('sample')) })}</section>
<section class="card"><h2>Change it</h2>${actForm({ act: 'change', label: 'Save', tone: 'primary', fields: fieldsOf(changeForm, changeOptions, { values, ...of('change') }) })}</section>
<section class="card"><h2>Replace the secret</h2>${actForm({ act: 'rotate', label: 'Replace the secret', fields: fieldsOf(rotateForm, rotateOptions, of('rotate')) })}</section>
`
    : html`<p class="muted">Owners and administrators change it, replace its secret and make samples.</p>\n`;
  return html`${administration}<section class="card"><h2>Revoke it</h2>${actForm({
    act: 'revoke',
    label: 'Revoke the endpoint',
    tone: 'danger',
    fields: sure('Nothing is taken or forwarded here any more. This cannot be undone.'),
  })}</section>
`;
}

const sampled = ({ curl, headers, body }: Sample, id: string): Html => html`<h1>A sample</h1>
<p class="lead">Nothing is sent yet: this command does it. Its signature holds for five minutes.</p>
${copyable(curl)}<h2>What it sends</h2>
${facts(Object.entries(headers).map(([name, value]) => [name, html`<code>${value}</code>`]))}<pre class="wrapped" tabindex="0"><code>${body}</code></pre>
<p><a class="button" href="${INBOUND_PATH}/${id}">Back to the endpoint</a></p>
`;

/** One endpoint: its address, what came, and what may be done with it. */
export const endpointPage = consolePage({
  operation: 'endpointPage',
  path: `${INBOUND_PATH}/:id`,
  async show(person, entered) {
    const { visit } = person;
    const { id } = visit;
    const { body: endpoint } = await visit.call(getEndpoint, { params: { id } });
    const list = await listOf(person, getEvents, {
      id: 'events',
      label: 'Events',
      input: { params: { id } },
      rows: (reply: z.output<typeof getEvents.reply>) => reply.events,
      columns,
      filters: [
        {
          name: 'status',
          label: 'State',
          kind: 'choice',
          options: eventStatuses.map((status) => [status, status === 'blocked' ? 'held' : status.replaceAll('_', ' ')]),
        },
        {
          name: 'verdict',
          label: 'Verdict',
          kind: 'choice',
          options: ['clean', 'suspicious', 'malicious'].map((one) => [one, one]),
        },
        { name: 'detector_key', label: 'Finding', kind: 'text' },
      ],
      nothing: 'Nothing came yet. Give the address and the secret to the provider, or send a sample.',
    });
    if (list.csv !== undefined) return list.csv;
    return {
      title: 'Endpoint',
      live: { ids: [id, ...list.reply.events.map((event) => event.id)], looks: true },
      body: html`<h1>${endpointName(endpoint)}</h1>
${live(
  'state',
  html`<p class="lead">${wordsOf(endpoint.provider).name} <code>${id}</code> ${endpointState(endpoint)}</p>
<div class="columns"><section class="card">${drawn(endpoint)}</section>
<section class="card">${facts([
    ['Agent', idLink(endpoint.agent_id)],
    [
      'Forwards to',
      endpoint.forward_url === null ? 'nowhere: events are recorded' : html`<code>${endpoint.forward_url}</code>`,
    ],
    [
      'Holds',
      `from ${endpoint.policy.block_at} on${endpoint.policy.mode === 'shadow' ? ', in shadow: it is forwarded all the same' : ''}`,
    ],
    ['Made by a partner', endpoint.partner_grant_id === null ? null : idLink(endpoint.partner_grant_id)],
    [
      'Secret before',
      endpoint.old_secret_until === null ? null : html`counts until ${moment(endpoint.old_secret_until)}`,
    ],
    ['Timeouts in a row', endpoint.timeouts_in_row],
    ['Slow since', endpoint.slow_since === null ? null : moment(endpoint.slow_since)],
    ['Held back until', endpoint.held_until === null ? null : moment(endpoint.held_until)],
    ['Made', moment(endpoint.created_at)],
    ['Revoked', endpoint.revoked_at === null ? null : moment(endpoint.revoked_at)],
  ])}<p>Its address, for the provider:</p>${copyable(endpoint.receiver_url)}</section></div>
`,
)}<h2>Events</h2>
${list.html}${actsOf(person, endpoint, entered)}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/operator/inbound-webhooks/${id}` })}`,
    };
  },
  acts: {
    sample: callAct('The sample is made.', postSample, {
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(sampleForm, form, sampleOptions) }),
      then: (sample, { visit: { id } }) => ({ title: 'A sample', body: sampled(sample, id) }),
    }),
    change: callAct('It is changed; it counts for every event that is not forwarded yet.', patchEndpoint, {
      input: (form, person) => ({ ...ofPage(form, person), body: changeOf(form) }),
    }),
    rotate: callAct('The secret is replaced.', postRotateSecret, {
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(rotateForm, form, rotateOptions) }),
      then: ({ id, secret }) => ({
        title: 'The secret is replaced',
        body: html`<h1>The secret is replaced</h1>
<p>${idLink(id)}</p>
${shownOnce('The new secret', secret)}<p><a class="button" href="${INBOUND_PATH}/${id}">Back to the endpoint</a></p>
`,
      }),
    }),
    revoke: callAct('It is revoked: nothing is taken or forwarded here any more.', deleteEndpoint, {
      sure: true,
      input: ofPage,
    }),
  },
});
