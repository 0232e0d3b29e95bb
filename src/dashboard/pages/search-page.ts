import { getAgents } from '../../accounts/agents/routes.ts';
import { getMembers } from '../../accounts/members/routes.ts';
import { getServiceConnections } from '../../authority/connections/routes.ts';
import { getMissions } from '../../authority/missions/routes.ts';
import { consolePage } from '../../console/page.ts';
import { badge, empty, table } from '../../console/parts.ts';
import { HOME, named, pageOfId } from '../../console/places.ts';
import { isOf, isRefusal, oneOf, redirect, type PersonsVisit } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { getEndpoints } from '../../inbound/endpoints/routes.ts';
import { endpointName } from '../../inbound/pages/parts.ts';
import { getDestinations } from '../../notifications/destinations/routes.ts';
import { mine } from '../../skills/list-routes.ts';
import { offerPath } from '../../skills/pages/parts.ts';
import { browse } from '../../skills/routes.ts';

/** As many of each kind are looked at as a list has on a page, the newest: a search reads no table. */
const LOOKED_AT = '100';
/** Skills of the market that are shown, best match first. */
const OFFERS = '10';

interface Found {
  kind: string;
  id: string;
  name: string;
  link: Html;
}

const thing = (kind: string, id: string, name: string): Found => ({ kind, id, name, link: named(name, id) });

/** The lists of what the operator has under a name. */
const lists: readonly ((person: PersonsVisit) => Promise<Found[]>)[] = [
  async ({ visit }) => {
    const { body } = await visit.call(mine, { query: { limit: LOOKED_AT } });
    return body.skills.map(({ id, name }) => thing('Skill of yours', id, name));
  },
  async ({ visit }) => {
    const { body } = await visit.call(getAgents, { query: { limit: LOOKED_AT } });
    return body.agents.map(({ id, name }) => thing('Agent', id, name));
  },
  async ({ visit }) => {
    const { body } = await visit.call(getMembers, { query: { limit: LOOKED_AT } });
    return body.members.map(({ id, email }) => thing('Member', id, email));
  },
  async ({ visit }) => {
    const { body } = await visit.call(getEndpoints, { query: { limit: LOOKED_AT } });
    return body.inbound_webhooks.map((one) => thing('Inbound endpoint', one.id, endpointName(one)));
  },
  async ({ visit }) => {
    const { body } = await visit.call(getDestinations, { query: { limit: LOOKED_AT } });
    return body.destinations.map(({ id, destination }) => thing('Destination', id, destination));
  },
  async ({ visit }) => {
    const { body } = await visit.call(getServiceConnections, { query: { limit: LOOKED_AT } });
    return body.service_connections.map(({ id, service_name: name }) => thing('Connection', id, name));
  },
  async ({ visit }) => {
    const { body } = await visit.call(getMissions, { query: { limit: LOOKED_AT } });
    return body.missions.map(({ id, declared_intent: intent }) => thing('Mission', id, intent));
  },
];

/** A person does not find what they may not list. */
const listed = (person: PersonsVisit, list: (typeof lists)[number]): Promise<Found[]> =>
  list(person).catch((error: unknown) => {
    if (isRefusal(error) && (error.status === 403 || error.status === 404)) return [];
    throw error;
  });

async function offersOf({ visit }: PersonsVisit, sought: string): Promise<Found[]> {
  try {
    const { body } = await visit.call(browse, { query: { search: sought, limit: OFFERS } });
    return body.skills.map(({ id, name }) => ({
      kind: 'Skill in the market',
      id,
      name,
      link: html`<a href="${offerPath(id)}">${name}</a>`,
    }));
  } catch (error) {
    if (isOf(error, 'VALIDATION_ERROR')) return []; // the market does not look for such words
    throw error;
  }
}

async function byName(person: PersonsVisit, sought: string): Promise<Found[]> {
  const needle = sought.toLowerCase();
  const found: Found[] = [];
  // One after the other, so that a page takes one connection at a time.
  for (const list of lists)
    found.push(...(await listed(person, list)).filter(({ name }) => name.toLowerCase().includes(needle)));
  const own = new Set(found.map(({ id }) => id));
  return [...found, ...(await offersOf(person, sought)).filter(({ id }) => !own.has(id))];
}

/** Kinds of ids that have no page of their own: where they are seen, and by which call. */
const withoutPage: Readonly<Record<string, string>> = {
  chk: 'A checkpoint is in the report of its passport: GET /v1/passports/:jti/report.',
  dsh: 'A session of a person is on the page of sessions.',
  hld: 'A hold is among those of the wallet.',
  idc: 'An identity claim is in its list: GET /v1/identity-claims.',
  llm: 'A model call is with the transaction that it was paid by.',
  mch: 'A run on a machine is with the transaction that it was paid by.',
  ifw: 'A forward is on the page of its inbound event.',
  op: 'An operator is seen by the platform alone; your own is on the page Operator.',
  pyt: 'A payout is in the statement of earnings.',
  rfd: 'A refund is among those of the wallet.',
  ses: 'A session of passports: GET /v1/passports?session_id=… lists its passports, and so does the page of passports.',
  top: 'A top-up is among those of the wallet.',
};

const ID = /^([a-z]{2,5})_\w{1,64}$/;

function aboutId({ caller }: PersonsVisit, id: string): Html | null {
  const [, prefix = ''] = ID.exec(id) ?? [];
  if (prefix === '') return null;
  if (prefix === 'op' && (caller.platform || id === caller.operatorId))
    return html`<p><a href="${caller.platform ? `${HOME}/operators/${id}` : `${HOME}/operator`}">The operator <code>${id}</code></a></p>\n`;
  const known = Object.hasOwn(withoutPage, prefix) ? withoutPage[prefix] : undefined;
  if (known === undefined) return null;
  return html`<p class="notice">No page is about <code>${id}</code>. ${known}</p>\n`;
}

const resultsOf = (sought: string, found: readonly Found[]): Html =>
  found.length === 0
    ? empty(
        html`Nothing of yours, and no skill in the market, is called “${sought}”. Of each kind the newest ${LOOKED_AT} are looked at.`,
      )
    : html`${table(
        'Found',
        [
          { title: 'Name', cell: ({ link }) => link },
          { title: 'Kind', cell: ({ kind }) => badge(kind) },
          { title: 'Id', cell: ({ id }) => html`<code>${id}</code>` },
        ],
        found,
      )}<p class="muted">${found.length} found. Of each kind the newest ${LOOKED_AT} are looked at, and ${OFFERS} skills of the market.</p>
`;

/** One box takes any id, and leads to its page; or a name, and shows what is called so. */
export const searchPage = consolePage({
  operation: 'searchPage',
  path: `${HOME}/search`,
  async show(person) {
    const sought = oneOf(person.visit.query, 'q').trim().slice(0, 100).toWellFormed();
    const page = pageOfId(sought);
    if (page !== undefined) return redirect(page);
    const about = aboutId(person, sought);
    return {
      title: 'Find',
      body: html`<h1>Find</h1>
<form class="filters" role="search"><label>An id, or a name<input name="q" type="search" value="${sought}" maxlength="100" autofocus></label><button>Find</button></form>
${
  sought === ''
    ? html`<p class="muted">An id looks like <code>inv_01K…</code>, and leads to its page. A name is looked for among skills, agents, members, endpoints, destinations, connections and missions.</p>`
    : (about ?? resultsOf(sought, await byName(person, sought)))
}
`,
    };
  },
});
