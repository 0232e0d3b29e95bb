import type { z } from 'zod';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, type Entered, type Form } from '../../console/page.ts';
import { badge, facts, table, sure } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { oneOf } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { getReport } from '../accountability/routes.ts';
import { get } from '../lists/routes.ts';
import { revoke, revokeAgent, revokeSession } from '../revoking/routes.ts';
import { RevokeManyBodySchema } from '../schema.ts';
import { budgetWords } from './budget-words.ts';
import { PASSPORTS_PATH } from './list-page.ts';
import { sessionTimeline, sessionTree } from './session-parts.ts';

type Shown = z.output<typeof get.reply>;

const nothing = html``;

const several = (ids: readonly string[]): Html | null =>
  ids.length === 0 ? null : html`${ids.map((id) => html`${idLink(id)}<br>`)}`;

const factsOf = (shown: Shown): Html =>
  facts([
    ['Agent', idLink(shown.agent_id)],
    ['Issued', moment(shown.issued_at)],
    ['Expires', moment(shown.expires_at)],
    ['Revoked', shown.revoked_at === null ? null : html`${moment(shown.revoked_at)}: ${shown.revoke_reason ?? ''}`],
    ['Delegated from', shown.parent_passport_id === null ? null : idLink(shown.parent_passport_id)],
    ['Hops from the first', shown.delegation_depth],
    ['Audience', shown.audience === null ? 'every service that it has scopes for' : shown.audience.join(', ')],
    ['Budget', budgetWords(shown.budget)],
    ['Intent', shown.intent_summary],
    ['Services of the intent', shown.intent_services.length === 0 ? null : shown.intent_services.join(', ')],
    ['Intent claims', several(shown.intent_refs)],
    ['Missions', several(shown.mission_ids)],
    ['Bindings', several(shown.authority_refs.map(({ binding_id: id }) => id))],
    ['Identity claims', several(shown.identity_claim_ids)],
    [
      'Checkpoints',
      shown.checkpoint_interval_seconds === null
        ? shown.checkpoint_count
        : `${shown.checkpoint_count}, one each ${shown.checkpoint_interval_seconds} s`,
    ],
    [
      'Session',
      html`<a href="${PASSPORTS_PATH}?status=all&session_id=${encodeURIComponent(shown.session_id)}"><code>${shown.session_id}</code></a>`,
    ],
    ['Evidence', several(shown.claim_ids)],
  ]);

const scopesOf = ({ services }: Shown): Html =>
  html`<h2>What it may do</h2>
${
  services.length === 0
    ? html`<p class="empty">It has no scopes at any service.</p>\n`
    : table(
        'What it may do',
        [
          {
            title: 'Service',
            cell: ({ service_name: name, service_id: id }) => html`${name} <code>${id}</code>`,
          },
          { title: 'Connection', cell: ({ connection_id: id }) => idLink(id) },
          {
            title: 'Scopes',
            cell: ({ scopes }) => html`${scopes.map((scope) => html`<code>${scope}</code> `)}`,
          },
          {
            title: 'Limits',
            cell: ({ constraints }) =>
              constraints.length === 0
                ? 'none'
                : html`<pre class="wrapped" tabindex="0"><code>${readable(constraints)}</code></pre>`,
          },
          {
            title: 'Data from',
            cell: ({ allow_data_from: sources }) => (sources.length === 0 ? 'none' : sources.join(', ')),
          },
        ],
        services,
      )
}`;

const reasonForm = schemaOf(RevokeManyBodySchema);
const reasonOf = (form: Form): JsonObject => valueOf(reasonForm, form);

const revokeForm = (
  { act, label, about }: { act: string; label: string; about: string },
  { hidden, entered }: { hidden: Record<string, string>; entered: Entered | undefined },
): Html =>
  html`<section class="card"><h3>${label}</h3>
<p class="muted">${about}</p>
${actForm({
  act,
  label,
  tone: 'danger',
  hidden,
  fields: html`${fieldsOf(reasonForm, {}, { entered: enteredIn(act, entered) })}${sure('I know that nothing brings them back.')}`,
})}</section>
`;

const revocations = ({ agent_id: agent, session_id: session, status }: Shown, entered?: Entered): Html =>
  html`<details${status === 'active' || entered !== undefined ? html` open` : nothing}><summary>Revoke</summary>
<p class="muted">A revoked passport is refused from the next verification on, anywhere. Nothing brings it back.</p>
<div class="columns">${
    status === 'active'
      ? revokeForm(
          {
            act: 'revoke',
            label: 'Revoke it',
            about: 'With all that was refreshed from it or before it, and all that was delegated.',
          },
          { hidden: {}, entered },
        )
      : nothing
  }${revokeForm(
    {
      act: 'revokeSession',
      label: 'Revoke the session',
      about: 'Every passport of the same call of issue, of other agents too.',
    },
    { hidden: { session }, entered },
  )}${revokeForm(
    {
      act: 'revokeAgent',
      label: 'Revoke all of the agent',
      about: 'Every active passport of the agent, and what was delegated from them.',
    },
    { hidden: { agent }, entered },
  )}</div></details>
`;

/** One passport: what it says, how it stands, what was done with it, and who was given a part of it. */
export const passportPage = consolePage({
  operation: 'passportPage',
  path: `${PASSPORTS_PATH}/:id`,
  async show(person, entered) {
    const { visit } = person;
    const params = { jti: visit.id };
    const { body: shown } = await visit.call(get, { params });
    const { body: report } = await visit.call(getReport, { params });
    const { jti, status } = shown;
    const { review } = report;
    return {
      title: 'Passport',
      live: { ids: [jti, ...(review === null ? [] : [review.checkout_id])], looks: true },
      body: html`<h1>Passport</h1>
${live(
  'state',
  html`<p class="lead"><code>${jti}</code> ${badge(status)}</p>
${review === null ? nothing : html`<p>A person ${review.status === 'pending' ? 'is to review' : 'has reviewed'} what was done with it: <a href="${HOME}/reviews/${review.checkout_id}">the review</a> ${badge(review.status)}</p>\n`}<div class="columns"><section class="card">${factsOf(shown)}</section>
<section class="card"><h2>What was done</h2>
${sessionTimeline(report)}</section></div>
${scopesOf(shown)}<h2>Delegation</h2>
${await sessionTree(person, shown)}`,
)}${revocations(shown, entered)}<p>The token is not kept, so it is not shown. The report: ${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/passports/${jti}/report` })}</p>
`,
    };
  },
  acts: {
    revoke: callAct('It is revoked, with its refreshes and delegations.', revoke, {
      sure: true,
      input: (form, { visit: { id } }) => ({ body: { ...reasonOf(form), jti: id } }),
    }),
    revokeSession: callAct('The passports of the session are revoked.', revokeSession, {
      sure: true,
      input: (form) => ({ params: { sessionId: oneOf(form, 'session') }, body: reasonOf(form) }),
    }),
    revokeAgent: callAct('The passports of the agent are revoked.', revokeAgent, {
      sure: true,
      input: (form) => ({ params: { agentId: oneOf(form, 'agent') }, body: reasonOf(form) }),
    }),
  },
});
