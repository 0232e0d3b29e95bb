import { agentChoices } from '../../../accounts/agents/pages/agent-choices.ts';
import { withChoices } from '../../../console/choices.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../../console/form.ts';
import { asCurl } from '../../../console/list.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, live, ofPage } from '../../../console/page.ts';
import { badge, facts, sure, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { readable } from '../../../console/readable.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { getAuthorityBinding, getAuthorityBindings, postAuthorityBinding, postRevoke } from '../routes.ts';
import { CreateAuthorityBindingSchema, type AuthorityBinding } from '../schema.ts';

const BINDINGS_PATH = `${HOME}/bindings`;

/** `key_changed` is a state of bindings alone. */
const stateOf = ({ status }: Pick<AuthorityBinding, 'status'>) =>
  status === 'key_changed' ? badge(status, 'warning') : badge(status);

const columns: readonly Column<AuthorityBinding>[] = [
  { title: 'Receiver', cell: ({ id, receiver_id: to }) => named(to, id), text: ({ receiver_id: to }) => to },
  {
    title: 'Profile',
    cell: ({ receiver_profile_version_id: profile }) => profile,
    text: ({ receiver_profile_version_id: profile }) => profile,
  },
  { title: 'Agent', cell: ({ agent_id: id }) => idLink(id), text: ({ agent_id: id }) => id },
  { title: 'State', cell: stateOf, text: ({ status }) => status },
  { title: 'Ends', cell: ({ expires_at: at }) => moment(at), text: ({ expires_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

const form = schemaOf(CreateAuthorityBindingSchema);
const options: FormOptions = {
  labels: {
    agent_id: 'Agent',
    receiver_id: 'Receiver',
    receiver_profile_version_id: 'Version of its profile',
    expires_at: 'Ends',
  },
};

const bindingsPage = consolePage({
  operation: 'bindingsPage',
  path: BINDINGS_PATH,
  show: (person, entered) =>
    listShown(person, getAuthorityBindings, {
      title: 'Bindings',
      lead: 'A binding lets an agent, with the key it has now, act towards one receiver.',
      id: 'bindings',
      rows: (reply) => reply.authority_bindings,
      columns,
      nothing: 'No agent is bound to a receiver yet. Bind one below.',
      changes: ({ id }) => id,
      below: async () => html`<section class="card"><h2>Bind an agent</h2>
${actForm({ act: 'bind', label: 'Bind it', tone: 'primary', fields: fieldsOf(form, withChoices(options, { agent_id: await agentChoices(person, { acting: true }) }), { entered }) })}</section>
`,
    }),
  acts: {
    bind: callAct('', postAuthorityBinding, {
      input: (typed) => ({ body: valueOf(form, typed, options) }),
      then: ({ id }) => `${BINDINGS_PATH}/${id}`,
    }),
  },
});

const bindingPage = consolePage({
  operation: 'bindingPage',
  path: `${BINDINGS_PATH}/:id`,
  async show({ visit }) {
    const { body: shown } = await visit.call(getAuthorityBinding, { params: { id: visit.id } });
    const revoke =
      shown.revoked_at === null
        ? html`<section class="card"><h2>Revoke it</h2>
<p>What needs it is refused from then on, also with passports that were signed before.</p>
${actForm({ act: 'revoke', label: 'Revoke the binding', tone: 'danger', fields: sure('Revoke it for good') })}</section>
`
        : html``;
    return {
      title: 'Binding',
      live: { ids: [shown.id] },
      body: html`<h1>${shown.receiver_id}</h1>
${live(
  'state',
  html`<p class="lead"><code>${shown.id}</code> ${stateOf(shown)}</p>
<section class="card">${facts([
    ['Agent', idLink(shown.agent_id)],
    ['Its key', html`<code>${shown.key_thumbprint}</code>`],
    ['Profile of the receiver', shown.receiver_profile_version_id],
    ['Claim', idLink(shown.claim_id)],
    ['Digest', html`<code>${shown.binding_digest}</code>`],
    ['Made', moment(shown.created_at)],
    ['Ends', moment(shown.expires_at)],
    ['Revoked', shown.revoked_at === null ? null : moment(shown.revoked_at)],
  ])}</section>
`,
)}<section class="card"><h2>Document</h2><pre class="wrapped" tabindex="0"><code>${readable(shown.document)}</code></pre></section>
${revoke}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/authority-bindings/${shown.id}` })}`,
    };
  },
  acts: { revoke: callAct('It is revoked.', postRevoke, { sure: true, input: ofPage }) },
  done: { bind: 'The agent is bound.' },
});

export const bindingPages: readonly PathOfPeoplePage[] = [bindingsPage, bindingPage];
