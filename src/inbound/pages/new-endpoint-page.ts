import { agentChoices } from '../../accounts/agents/pages/agent-choices.ts';
import { getAgents } from '../../accounts/agents/routes.ts';
import { withChoices } from '../../console/choices.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { copyable, empty, shownOnce, tabs } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { decides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { InboundProviderSchema, type InboundProvider } from '../../fields/inbound-providers.ts';
import { postEndpoint } from '../endpoints/routes.ts';
import { CreateEndpointSchema, type CreatedEndpoint } from '../endpoints/schema.ts';
import { endpointName, INBOUND_PATH, wordsOf } from './parts.ts';

const PATH = `${INBOUND_PATH}/new`;
const form = schemaOf(CreateEndpointSchema);

const providerOf = ({ visit }: PersonsVisit): InboundProvider => {
  const provider = InboundProviderSchema.safeParse(oneOf(visit.query, 'provider'));
  return provider.success ? provider.data : 'mail_provider';
};

const options: FormOptions = {
  only: ['agent_id', 'name', 'forward_url', 'policy', 'secret'],
  short: ['forward_url', 'secret'],
  secret: ['secret'],
  labels: {
    agent_id: 'Agent',
    forward_url: 'Forward to',
    'policy.block_at': 'Hold from this severity on',
    'policy.mode': 'Mode',
    secret: 'Secret of the provider',
  },
  hints: {
    name: 'To tell it from others.',
    forward_url: 'An https URL of the agent. Without one events are scanned and recorded.',
    'policy.mode': 'Shadow: what would be held is forwarded all the same, with its verdict.',
    secret: 'Where the provider makes its signing key itself, as Mailgun and Resend do. Without one it is made here.',
  },
};

/** Shown once the endpoint is made: its provider is to be given both. */
const made = (endpoint: CreatedEndpoint): Html => html`<h1>The endpoint is made</h1>
<p class="lead">${endpointName(endpoint)} ${idLink(endpoint.id)}</p>
<section class="card"><h2>Give this to the provider</h2>
<p>The address:</p>
${copyable(endpoint.receiver_url)}${shownOnce('The secret', endpoint.secret)}</section>
<p><a class="button primary" href="${INBOUND_PATH}/${endpoint.id}">Open the endpoint, and try it with a sample</a></p>
`;

/** One form a provider. */
export const newEndpointPage = consolePage({
  operation: 'newEndpointPage',
  path: PATH,
  async show(person, entered) {
    const title = 'Make an endpoint';
    if (!decides(person))
      return { title, body: html`<h1>${title}</h1>\n${empty('Owners and administrators make endpoints.')}` };
    const provider = providerOf(person);
    const { body: agents } = await person.visit.call(getAgents, { query: { limit: '1' } });
    const shown = agents.total === 0 ? null : withChoices(options, { agent_id: await agentChoices(person) });
    return {
      title,
      body: html`<h1>${title}</h1>
${tabs(
  'Provider',
  InboundProviderSchema.options.map((one) => ({
    href: `${PATH}?provider=${one}`,
    text: wordsOf(one).name,
    current: one === provider,
  })),
)}<p class="muted">${wordsOf(provider).hint}</p>
${
  shown === null
    ? empty(html`An endpoint is for an agent, and there is none yet. <a href="${HOME}/agents">Make an agent</a> first.`)
    : html`<section class="card">${actForm({ act: 'create', label: 'Make the endpoint', tone: 'primary', fields: fieldsOf(form, shown, { entered }) })}</section>\n`
}`,
    };
  },
  acts: {
    create: callAct('The endpoint is made.', postEndpoint, {
      input: (fields, person) => ({ body: { ...valueOf(form, fields, options), provider: providerOf(person) } }),
      then: (endpoint) => ({ title: 'The endpoint is made', body: made(endpoint) }),
    }),
  },
});
