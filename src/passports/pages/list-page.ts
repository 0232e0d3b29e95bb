import { agentChoices } from '../../accounts/agents/pages/agent-choices.ts';
import { filterOf } from '../../console/choices.ts';
import type { z } from 'zod';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { listOf } from '../../console/list.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { oneOf } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { sessionChoices } from './passport-choices.ts';
import { search } from '../lists/routes.ts';
import { revokeAll } from '../revoking/routes.ts';
import { PassportStatus, RevokeManyBodySchema, type Passport } from '../schema.ts';
import { ISSUE_PATH } from './issue-page.ts';
import { VERIFY_PATH } from './verify-page.ts';

export const PASSPORTS_PATH = `${HOME}/passports`;

const ALL = 'all';
const tabTexts = { active: 'Active', expired: 'Expired', revoked: 'Revoked', [ALL]: 'All' } as const;

const columns: readonly Column<Passport>[] = [
  { title: 'Passport', cell: ({ jti }) => idLink(jti), text: ({ jti }) => jti },
  { title: 'Agent', cell: ({ agent_id: id }) => idLink(id), text: ({ agent_id: id }) => id },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Intent', cell: ({ intent_summary: words }) => words ?? '', text: ({ intent_summary: words }) => words },
  {
    title: 'Hops',
    amount: true,
    cell: ({ delegation_depth: hops }) => hops,
    text: ({ delegation_depth: hops }) => hops,
  },
  { title: 'Issued', cell: ({ issued_at: at }) => moment(at), text: ({ issued_at: at }) => at },
  { title: 'Expires', cell: ({ expires_at: at }) => moment(at), text: ({ expires_at: at }) => at },
  {
    title: 'Session',
    cell: ({ session_id: id }) =>
      html`<a href="${PASSPORTS_PATH}?status=${ALL}&session_id=${encodeURIComponent(id)}"><code>${id}</code></a>`,
    text: ({ session_id: id }) => id,
  },
];

const tabOf = (asked: string): keyof typeof tabTexts =>
  asked === ALL ? ALL : (PassportStatus.safeParse(asked).data ?? 'active');

const reasonForm = schemaOf(RevokeManyBodySchema);

const revokeAllForm = (entered?: Parameters<typeof fieldsOf>[2]): Html =>
  html`<details><summary>Revoke every active passport</summary>
<p class="notice warning">This is for emergencies. Every agent of the operator stops being let in, everywhere, from the next verification on. Nothing brings a revoked passport back; agents can be issued new ones.</p>
${actForm({
  act: 'revokeAll',
  label: 'Revoke all passports',
  tone: 'danger',
  fields: html`${fieldsOf(reasonForm, {}, entered)}<label><input type="checkbox" name="confirm" value="true" required><span>I want every active passport of the operator revoked.</span></label>\n`,
})}</details>
`;

/** The passports of the operator: the active ones, or all. */
export const passportsPage = consolePage({
  operation: 'passportsPage',
  path: PASSPORTS_PATH,
  async show(person, entered) {
    const tab = tabOf(oneOf(person.visit.query, 'status'));
    const list = await listOf(person, search, {
      id: 'passports',
      label: 'Passports',
      input: { query: tab === ALL ? {} : { status: tab } },
      rows: (reply: z.output<typeof search.reply>) => reply.passports,
      columns,
      kept: { status: tab },
      filters: [
        filterOf('agent_id', 'Agent', await agentChoices(person)),
        filterOf('session_id', 'Session', await sessionChoices(person, tab === ALL ? undefined : tab)),
      ],
      nothing:
        tab === 'active' || tab === ALL
          ? html`No agent has a passport${tab === 'active' ? ' now' : ' yet'}. <a href="${ISSUE_PATH}">Issue one</a>, or have an agent call <code>POST /v1/passports/issue</code> by a key of the operator.`
          : `None is ${tab}.`,
    });
    return (
      list.csv ?? {
        title: 'Passports',
        live: { ids: list.reply.passports.map(({ jti }) => jti), looks: true },
        body: html`<h1>Passports</h1>
<p class="lead">A passport says what an agent may do, for minutes, and services verify it.</p>
<p class="actions"><a class="button primary" href="${ISSUE_PATH}">Issue a passport</a> <a class="button" href="${VERIFY_PATH}">Verify one</a></p>
${tabs(
  'State',
  Object.entries(tabTexts).map(([status, text]) => ({
    href: `${PASSPORTS_PATH}?${new URLSearchParams({ status, ...keptFilters(person.visit.query) }).toString()}`,
    text,
    current: status === tab,
  })),
)}${list.html}${revokeAllForm({ entered })}`,
      }
    );
  },
  acts: {
    revokeAll: callAct('Every active passport is revoked.', revokeAll, {
      input: (form) => ({
        body: { ...valueOf(reasonForm, form), confirm: oneOf(form, 'confirm') === 'true' },
      }),
    }),
  },
});

/** The filters of the list, which its tabs keep. */
const keptFilters = (query: Parameters<typeof oneOf>[0]): Record<string, string> =>
  Object.fromEntries(
    ['agent_id', 'session_id'].flatMap((name) => {
      const value = oneOf(query, name);
      return value === '' ? [] : [[name, value]];
    }),
  );
