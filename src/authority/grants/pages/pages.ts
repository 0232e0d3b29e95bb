import { agentChoices } from '../../../accounts/agents/pages/agent-choices.ts';
import type { Choice } from '../../../console/choices.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../../console/form.ts';
import { listOf } from '../../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, type Entered } from '../../../console/page.ts';
import { sure, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../../console/visits.ts';
import { CarnetError } from '../../../errors/carnet-error.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { getServiceConnection, getServiceConnections } from '../../connections/routes.ts';
import type { ServiceConnection } from '../../connections/schema.ts';
import { deleteGrant, getGrant, getGrants, putGrant } from '../routes.ts';
import { PutGrantSchema, type Grant } from '../schema.ts';

const GRANTS_PATH = `${HOME}/grants`;
/** Connections to choose from; the id of any other is typed in. */
const CHOICES = '100';

const addressOf = (agentId: string, connectionId?: string): string =>
  `${GRANTS_PATH}?${new URLSearchParams({ agent_id: agentId, ...(connectionId !== undefined && { connection_id: connectionId }) }).toString()}`;

const columns: readonly Column<Grant>[] = [
  {
    title: 'Service',
    cell: ({ service_name: name, service_connection_id: id }) => named(name, id),
    text: ({ service_name: name }) => name,
  },
  { title: 'Scopes', cell: ({ scopes }) => scopes.join(', '), text: ({ scopes }) => scopes.join(' ') },
  {
    title: 'Constraints',
    cell: ({ constraints }) =>
      html`${constraints.map((one) => html`<code>${one.param} ${one.op} ${JSON.stringify(one.value)}</code><br>`)}`,
    text: ({ constraints }) => JSON.stringify(constraints),
  },
  {
    title: 'Data from',
    cell: ({ allow_data_from: from }) => from.join(', '),
    text: ({ allow_data_from: from }) => from.join(' '),
  },
  { title: 'Changed', cell: ({ updated_at: at }) => moment(at), text: ({ updated_at: at }) => at },
  {
    title: '',
    cell: ({ agent_id: agent, service_connection_id: connection }) =>
      html`<a href="${addressOf(agent, connection)}">Change</a>`,
  },
];

const grantForm = schemaOf(PutGrantSchema);
const hints = {
  constraints:
    'Limits on parameters of calls: [{"param": "repository", "op": "prefix", "value": "ada/"}]. All must hold.',
  allow_data_from: 'Names of services whose content may flow into this one; * for all that are granted.',
};

/** The scopes of the connection to tick, and those that the grant names besides. */
const optionsFor = ({ scopes }: ServiceConnection, granted: readonly string[]): FormOptions => ({
  hints,
  choices: {
    scopes: [...new Set(['*', ...scopes, ...granted])].map((scope) => [
      scope,
      scope === '*' ? 'all of them (*)' : scope,
    ]),
  },
});

/** Which agent the page is about. */
const chooseAgent = (choices: readonly Choice[] | null): Html =>
  html`<form class="filters" method="get"><label>Agent${choices === null ? html`<input name="agent_id" type="text" required maxlength="64" placeholder="ag_…">` : html`<select name="agent_id">${choices.map(([id, name]) => html`<option value="${id}">${name}</option>`)}</select>`}</label><button>Show</button></form>
<p class="empty">Grants are of one agent. Choose it among <a href="${HOME}/agents">your agents</a>.</p>
`;

async function grantOf({ visit }: PersonsVisit, id: string, connection: string): Promise<Grant | null> {
  try {
    return (await visit.call(getGrant, { params: { id, service_connection_id: connection } })).body;
  } catch (error) {
    if (error instanceof CarnetError && error.code === 'NOT_FOUND') return null; // it is to be made
    throw error;
  }
}

/** The form of one grant, with the scopes of its connection to tick. */
async function oneGrant(
  person: PersonsVisit,
  ids: { agent: string; connection: string },
  entered?: Entered,
): Promise<Html> {
  const { body: connection } = await person.visit.call(getServiceConnection, { params: { id: ids.connection } });
  const grant = await grantOf(person, ids.agent, ids.connection);
  const put = actForm({
    act: 'put',
    label: 'Save the grant',
    tone: 'primary',
    fields: fieldsOf(grantForm, optionsFor(connection, grant?.scopes ?? []), {
      ...(grant !== null && { values: grant }),
      entered: enteredIn('put', entered),
    }),
  });
  const remove =
    grant === null
      ? html``
      : html`<section class="card"><h2>Take it away</h2>
<p>Passports that were signed before keep it until they are revoked.</p>
${actForm({ act: 'delete', label: 'Delete the grant', tone: 'danger', fields: sure('Take the service away from the agent') })}</section>`;
  return html`<p><a href="${addressOf(ids.agent)}">All grants of the agent</a></p>
<div class="columns"><section class="card"><h2>What it may use of ${named(connection.service_name, connection.id)}</h2>
${put}</section>${remove}</div>
`;
}

async function allGrants(person: PersonsVisit, agent: string) {
  const list = await listOf(person, getGrants, {
    id: 'grants',
    label: 'Grants',
    input: { params: { id: agent } },
    kept: { agent_id: agent },
    rows: (reply) => reply.grants,
    columns,
    nothing: 'This agent may use nothing yet. Choose a connection below.',
  });
  if (list.csv !== undefined) return list.csv;
  const { body } = await person.visit.call(getServiceConnections, { query: { limit: CHOICES } });
  const choose =
    body.service_connections.length === 0
      ? html`<p class="empty">No service is connected yet. <a href="${HOME}/connections">Connect one</a>.</p>`
      : html`<form class="filters" method="get"><input type="hidden" name="agent_id" value="${agent}"><label>Connection<select name="connection_id">${body.service_connections.map(({ id, service_name: name }) => html`<option value="${id}">${name}</option>`)}</select></label><button>Go on</button></form>`;
  return html`${list.html}<section class="card"><h2>Grant a service</h2>
${choose}</section>
`;
}

const idsOf = ({ visit: { query } }: PersonsVisit): { agent: string; connection: string } => ({
  agent: oneOf(query, 'agent_id'),
  connection: oneOf(query, 'connection_id'),
});

const paramsOf = (person: PersonsVisit): { params: { id: string; service_connection_id: string } } => {
  const { agent, connection } = idsOf(person);
  return { params: { id: agent, service_connection_id: connection } };
};

const grantsPage = consolePage({
  operation: 'grantsPage',
  path: GRANTS_PATH,
  async show(person, entered) {
    const ids = idsOf(person);
    const about = ids.agent === '' ? html`` : html`<p class="lead">${idLink(ids.agent)}</p>`;
    const shown =
      ids.agent === ''
        ? chooseAgent(await agentChoices(person))
        : ids.connection === ''
          ? await allGrants(person, ids.agent)
          : await oneGrant(person, ids, entered);
    if ('status' in shown) return shown;
    return {
      title: 'Grants',
      body: html`<h1>Grants</h1>
${about}${shown}`,
    };
  },
  acts: {
    put: callAct('The grant is saved: passports signed from now on can have it.', putGrant, {
      input: (form, person) => ({
        ...paramsOf(person),
        body: { scopes: [], ...valueOf(grantForm, form, { choices: { scopes: [] } }) },
      }),
      then: (_, person) => addressOf(idsOf(person).agent),
    }),
    delete: callAct('The grant is deleted.', deleteGrant, {
      sure: true,
      input: (_, person) => paramsOf(person),
      then: (_, person) => addressOf(idsOf(person).agent),
    }),
  },
});

export const grantPages: readonly PathOfPeoplePage[] = [grantsPage];
