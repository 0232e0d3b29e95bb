import { agentChoices } from '../../agents/pages/agent-choices.ts';
import { choicesOf, filterOf, withChoices } from '../../../console/choices.ts';
import { getGrants } from '../../partner-grants/routes.ts';
import type { z } from 'zod';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../../console/form.ts';
import { listOf } from '../../../console/list.ts';
import { actForm, callAct, consolePage, ofPage, type Act } from '../../../console/page.ts';
import { badge, facts, momentOr, shownOnce, sure, tabs, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../../console/visits.ts';
import { dollars } from '../../../fields/dollars.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import type { JsonObject } from '../../../json/value.ts';
import { deleteApiKey, getApiKey, getApiKeys, postApiKey } from '../routes.ts';
import { CreateApiKeySchema, type ApiKey } from '../schema.ts';

const KEYS_PATH = `${HOME}/keys`;

const columns: readonly Column<ApiKey>[] = [
  { title: 'Key', cell: ({ id, name }) => named(name, id), text: ({ name }) => name },
  {
    title: 'For',
    cell: ({ kind, role, agent_id: agent, partner_grant_id: grant }) =>
      html`${kind}${role === null ? '' : `, ${role}`} ${agent === null ? html`` : idLink(agent)}${grant === null ? html`` : idLink(grant)}`,
    text: ({ kind, role, agent_id: agent, partner_grant_id: grant }) =>
      agent ?? grant ?? `${kind} ${role ?? ''}`.trim(),
  },
  { title: 'Ends in', cell: ({ last4 }) => html`<code>…${last4}</code>`, text: ({ last4 }) => last4 },
  { title: 'Last used', cell: ({ last_used_at: at }) => momentOr(at, 'never'), text: ({ last_used_at: at }) => at },
  { title: 'Expires', cell: ({ expires_at: at }) => momentOr(at, 'never'), text: ({ expires_at: at }) => at },
  {
    title: 'Made by',
    cell: ({ created_by: by }) => (by === null ? 'the first start' : idLink(by)),
    text: ({ created_by: by }) => by,
  },
  { title: 'Made', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

/** A key of each kind has fields of its own, so each kind has a form. */
const kinds = CreateApiKeySchema.options.map((schema) => ({
  kind: schema.shape.kind.value,
  form: schemaOf(schema),
  options: {
    only: Object.keys(schema.shape).filter((name) => name !== 'kind'),
    labels: {
      agent_id: 'Agent',
      partner_grant_id: 'Grant of the partner',
      monthly_limit_cents: 'A month at most',
      expires_at: 'Expires',
    },
    money: ['monthly_limit_cents'],
    hints: {
      role: 'A member has fewer rights; an administrator may do everything but what a person decides.',
      expires_at: 'Empty: never.',
      monthly_limit_cents: 'What its holds may add up to; empty: no limit but that of the agent.',
    },
  } satisfies FormOptions,
}));
type Kind = (typeof kinds)[number];

const partnerChoices = (person: PersonsVisit) =>
  choicesOf(person, getGrants, {
    choices: ({ partner_grants: grants }) => grants.map(({ id, name }) => [id, `${name} (${id})`] as const),
  });

const kindOf = (name: string): Kind => (kinds.find(({ kind }) => kind === name) ?? kinds[0]) as Kind;

const made: Act = callAct('', postApiKey, {
  input: (form) => {
    const { kind, form: schema, options } = kindOf(oneOf(form, 'kind'));
    return { body: { ...valueOf(schema, form, options), kind } satisfies JsonObject };
  },
  then: ({ id, name, key }: z.output<typeof postApiKey.reply>) => ({
    title: 'A new key',
    body: html`<h1>“${name}”</h1>
${shownOnce('The key', key)}<p>It is ${idLink(id)} from now on. <a href="${KEYS_PATH}">All keys</a></p>
`,
  }),
});

const keysPage = consolePage({
  operation: 'keysPage',
  path: KEYS_PATH,
  async show(person, entered) {
    const list = await listOf(person, getApiKeys, {
      id: 'keys',
      label: 'Keys',
      rows: (reply) => reply.api_keys,
      columns,
      filters: [filterOf('agent_id', 'Agent', await agentChoices(person))],
      nothing: 'There is no key yet. Make one below for a program that calls the API.',
    });
    const { query } = person.visit;
    const {
      kind: chosen,
      form,
      options,
    } = kindOf(entered === undefined ? oneOf(query, 'kind') : oneOf(entered.form, 'kind'));
    // A link from a page of an agent or a grant fills its id in.
    const linked = options.only.flatMap((name) => (oneOf(query, name) === '' ? [] : [[name, oneOf(query, name)]]));
    const filled = linked.length === 0 ? { entered } : { entered, values: Object.fromEntries(linked) as JsonObject };
    const offered = withChoices(options, {
      agent_id: chosen === 'agent' ? await agentChoices(person, { acting: true }) : null,
      partner_grant_id: chosen === 'partner' ? await partnerChoices(person) : null,
    });
    return (
      list.csv ?? {
        title: 'Keys',
        live: { ids: list.reply.api_keys.map(({ id }) => id) },
        body: html`<h1>Keys</h1>
<p class="lead">What programs call the API with. A key is shown once, when it is made.</p>
${list.html}<section class="card"><h2>Make a key</h2>
${tabs(
  'Kind of key',
  kinds.map(({ kind }) => ({
    href: `${KEYS_PATH}?kind=${kind}`,
    text: { operator: 'Of the operator', agent: 'Of an agent', partner: 'Of a partner' }[kind],
    current: kind === chosen,
  })),
)}${actForm({ act: 'make', label: 'Make the key', tone: 'primary', hidden: { kind: chosen }, fields: fieldsOf(form, offered, filled) })}</section>
`,
      }
    );
  },
  acts: { make: made },
  done: { delete: 'The key is deleted: it is refused from now on.' },
});

const keyPage = consolePage({
  operation: 'keyPage',
  path: `${KEYS_PATH}/:id`,
  async show({ visit }) {
    const { body: key } = await visit.call(getApiKey, { params: { id: visit.id } });
    const { agent_id: agent, partner_grant_id: grant, created_by: by, monthly_limit_cents: limit } = key;
    return {
      title: 'Key',
      live: { ids: [key.id] },
      body: html`<h1>“${key.name}”</h1>
<p class="lead"><code>${key.id}</code> ${badge(key.kind)}</p>
<section class="card">${facts([
        ['Ends in', html`<code>…${key.last4}</code>`],
        ['Role', key.role],
        ['Agent', agent === null ? null : idLink(agent)],
        ['Partner', grant === null ? null : idLink(grant)],
        ['A month at most', limit === null ? null : dollars(limit)],
        ['Made by', by === null ? 'the first start' : idLink(by)],
        ['Made', moment(key.created_at)],
        ['Last used', momentOr(key.last_used_at, 'never')],
        ['Expires', momentOr(key.expires_at, 'never')],
      ])}
${actForm({ act: 'delete', label: 'Delete the key', tone: 'danger', fields: sure('Programs that call with it are refused.'), beside: html`<a class="button" href="${HOME}/audit?actor=${key.id}">What it did</a>` })}</section>
`,
    };
  },
  acts: { delete: callAct('', deleteApiKey, { sure: true, input: ofPage, then: () => KEYS_PATH }) },
});

export const keyPages: readonly PathOfPeoplePage[] = [keysPage, keyPage];
