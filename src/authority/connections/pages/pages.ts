import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../../console/form.ts';
import { asCurl } from '../../../console/list.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, enteredIn, ofPage } from '../../../console/page.ts';
import { badge, facts, sure, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import {
  deleteServiceConnection,
  getServiceConnection,
  getServiceConnections,
  patchServiceConnection,
  postServiceConnection,
} from '../routes.ts';
import { CreateServiceConnectionSchema, UpdateServiceConnectionSchema, type ServiceConnection } from '../schema.ts';

const CONNECTIONS_PATH = `${HOME}/connections`;

const columns: readonly Column<ServiceConnection>[] = [
  { title: 'Service', cell: ({ id, service_name: name }) => named(name, id), text: ({ service_name: name }) => name },
  { title: 'Kind', cell: ({ service_id: id }) => id, text: ({ service_id: id }) => id },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  {
    title: 'Scopes',
    cell: ({ scopes }) =>
      scopes.length > 5 ? `${scopes.slice(0, 5).join(', ')} … ${scopes.length}` : scopes.join(', '),
    text: ({ scopes }) => scopes.join(' '),
  },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  { title: 'Made', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
];

const createForm = schemaOf(CreateServiceConnectionSchema);
const editForm = schemaOf(UpdateServiceConnectionSchema);
const options: FormOptions = {
  labels: { service_id: 'Service', service_name: 'Name', credential_ref: 'Where its credential is' },
  hints: {
    service_id: 'Which service it is: github, say.',
    service_name: 'Passports and calls name it so; unique for the operator.',
    scopes: 'What it knows; a grant allows some of them.',
  },
};
const editOptions: FormOptions = { ...options, only: ['service_id', 'service_name', 'scopes', 'credential_ref'] };

const connectionsPage = consolePage({
  operation: 'connectionsPage',
  path: CONNECTIONS_PATH,
  show: (person, entered) =>
    listShown(person, getServiceConnections, {
      title: 'Connections',
      lead: 'Services that your agents may be allowed to use. An agent may use nothing until a grant allows it.',
      id: 'connections',
      rows: (reply) => reply.service_connections,
      columns,
      nothing: 'No service is connected yet. Connect one below; then grant agents what they may use of it.',
      below: () => html`<section class="card"><h2>Connect a service</h2>
${actForm({ act: 'connect', label: 'Connect it', tone: 'primary', fields: fieldsOf(createForm, options, { entered }) })}</section>
`,
    }),
  acts: {
    connect: callAct('It is connected. Grant agents what they may use of it.', postServiceConnection, {
      input: (form) => ({ body: valueOf(createForm, form, options) }),
    }),
  },
  done: { delete: 'The connection is deleted, and its grants with it.' },
});

const connectionPage = consolePage({
  operation: 'connectionPage',
  path: `${CONNECTIONS_PATH}/:id`,
  async show({ visit }, entered) {
    const { body: shown } = await visit.call(getServiceConnection, { params: { id: visit.id } });
    const isActive = shown.status === 'active';
    return {
      title: 'Connection',
      live: { ids: [shown.id] },
      body: html`<h1>${shown.service_name}</h1>
<p class="lead"><code>${shown.id}</code> ${badge(shown.status)}</p>
<section class="card">${facts([
        ['Service', shown.service_id],
        ['Scopes', shown.scopes.join(', ')],
        ['Credential', shown.credential_ref],
        ['Made', moment(shown.created_at)],
        ['Changed', moment(shown.updated_at)],
      ])}
${actForm(
  isActive ? { act: 'disable', label: 'Disable it' } : { act: 'enable', label: 'Enable it', tone: 'primary' },
)}</section>
<div class="columns"><section class="card"><h2>Change it</h2>
${actForm({
  act: 'change',
  label: 'Save',
  tone: 'primary',
  fields: fieldsOf(editForm, editOptions, { values: shown, entered: enteredIn('change', entered) }),
})}</section>
<section class="card"><h2>Disconnect it</h2>
<p>Its grants are deleted too. Passports that are signed keep what they say until they are revoked.</p>
${actForm({ act: 'delete', label: 'Delete the connection', tone: 'danger', fields: sure('Delete it and every grant of it') })}</section></div>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/service-connections/${shown.id}` })}`,
    };
  },
  acts: {
    change: callAct('It is changed.', patchServiceConnection, {
      input: (form, person) => ({
        ...ofPage(form, person),
        // An empty field takes the value away.
        body: { scopes: [], credential_ref: null, ...valueOf(editForm, form, editOptions) },
      }),
    }),
    disable: callAct('It is disabled: later passports leave it out.', patchServiceConnection, {
      input: (form, person) => ({ ...ofPage(form, person), body: { status: 'disabled' } }),
    }),
    enable: callAct('It is active again.', patchServiceConnection, {
      input: (form, person) => ({ ...ofPage(form, person), body: { status: 'active' } }),
    }),
    delete: callAct('', deleteServiceConnection, { sure: true, input: ofPage, then: () => CONNECTIONS_PATH }),
  },
});

export const connectionPages: readonly PathOfPeoplePage[] = [connectionsPage, connectionPage];
