import type { z } from 'zod';
import type { Agent } from '../../accounts/index.ts';
import { agentFormOptions } from '../../accounts/agents/pages/agents-page.ts';
import { getAgent, getConduct, patchAgent, postUnblock } from '../../accounts/agents/routes.ts';
import { getApiKeys } from '../../accounts/api-keys/routes.ts';
import { UpdateAgentSchema } from '../../accounts/agents/schema.ts';
import { subjectAsJson } from '../../commands/subject-digest.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered, type Form } from '../../console/page.ts';
import { badge, facts, sure } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { excerptOf } from '../../console/readable.ts';
import { decides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { postBlock } from '../../passports/accountability/routes.ts';
import { BlockAgentSchema } from '../../passports/index.ts';

export const pathOfAgent = (agentId: string): string => `${HOME}/agents/${agentId}`;

const nothing = html``;

type Conduct = z.output<typeof getConduct.reply>;

const blocksOf = (blocks: Conduct['blocks'], others: number): Html =>
  blocks.length === 0
    ? html`none`
    : html`<ul>
${blocks.map(({ agent_id: agent, blocked_at: at, blocked_by: by, reason, checkout_id: review }) => html`<li>${idLink(agent)}, ${moment(at)}, by ${by === null ? 'unknown' : idLink(by)}${reason === null ? nothing : html`: ${reason}`}${review === null ? nothing : html` (<a href="${HOME}/reviews/${review}">the review</a>)`}</li>\n`)}${others === 0 ? nothing : html`<li>and ${others} before these</li>\n`}</ul>`;

async function keysOf({ visit }: PersonsVisit, agentId: string): Promise<Html> {
  const { body } = await visit.call(getApiKeys, { query: { agent_id: agentId, limit: '1' } });
  return html`<a href="${HOME}/keys?${new URLSearchParams({ agent_id: agentId }).toString()}">${body.total}</a>`;
}

const heldTo = ({
  accountability,
  checkpoint_interval_seconds: interval,
  held_to: { accountability: held, accountability_from: from, checkpoint_interval_seconds: seconds },
}: Agent): Html | null =>
  held === accountability && seconds === interval
    ? null
    : html`${held}${seconds === null ? nothing : `, a checkpoint each ${seconds} s`}${from === null ? nothing : html`, as ${idLink(from)}`}`;

const factsOf = (agent: Agent, keys: Html | null): Html =>
  facts([
    ['Agent', html`<code>${agent.id}</code>`],
    ['Accountability', agent.accountability],
    [
      'Checkpoints',
      agent.checkpoint_interval_seconds === null ? 'none by itself' : `each ${agent.checkpoint_interval_seconds} s`,
    ],
    ['New passports are held to', heldTo(agent)],
    ['Limit a month', agent.monthly_limit_cents === null ? 'none' : dollars(agent.monthly_limit_cents)],
    ['Public key', agent.public_jwk === null ? 'none' : html`<code>${agent.public_jwk.x}</code>`],
    ['Registered by', agent.partner_grant_id === null ? 'the operator' : idLink(agent.partner_grant_id)],
    ['Retired', agent.retired_at === null ? null : moment(agent.retired_at)],
    ['Keys', keys],
    ['Since', moment(agent.created_at)],
  ]);

const links = ({ id }: Agent): Html => {
  const of = (path: string): string => `${HOME}/${path}agent_id=${encodeURIComponent(id)}`;
  return html`<p class="actions"><a class="button" href="${of('passports?')}">Its passports</a> <a class="button" href="${of('passports/issue?')}">Issue one</a> <a class="button" href="${of('grants?')}">Its grants</a></p>\n`;
};

const changeForm = schemaOf(UpdateAgentSchema);
const changeOptions = {
  ...agentFormOptions,
  only: ['name', 'accountability', 'checkpoint_interval_seconds', 'monthly_limit_cents'],
};
const blockForm = schemaOf(BlockAgentSchema);
const blockOptions = { labels: { notes: 'Reason' } };

function changes(person: PersonsVisit, agent: Agent, entered?: Entered): Html {
  const { status, retired_at: retired } = agent;
  const less = decides(person)
    ? nothing
    : html`<p class="muted">Less accountability than before, and a retired agent that comes back, need an owner or administrator; you are a member, so it waits for their approval.</p>\n`;
  const filled = { values: subjectAsJson(agent) as JsonObject, entered: enteredIn('change', entered) };
  return html`<section class="card"><h2>Change it</h2>
${less}${actForm({ act: 'change', label: 'Save', tone: 'primary', fields: fieldsOf(changeForm, changeOptions, filled) })}</section>
<section class="card"><h2>Stop it</h2>
<p class="muted">A blocked agent gets no passports until a person unblocks it, and no agent that has or had a public key of it does. Passports that it has stay good: <a href="${HOME}/passports?agent_id=${encodeURIComponent(agent.id)}">revoke them</a> too where they should end.</p>
${actForm({ act: 'block', label: 'Block it', tone: 'danger', fields: fieldsOf(blockForm, blockOptions, { entered: enteredIn('block', entered) }) })}${
    retired !== null
      ? status === 'blocked'
        ? nothing
        : html`<p class="muted">It is retired.</p>\n${actForm({ act: 'bringBack', label: 'Bring it back' })}`
      : html`<p class="muted">A retired agent has ended: its keys are refused, and its passports revoked.</p>
${actForm({
  act: 'retire',
  label: 'Retire it',
  tone: 'danger',
  fields: sure('Revoke its passports, and refuse its keys.'),
})}`
  }</section>
`;
}

/** Blocks, reviews and flags of the agent, and the form that lifts what holds it. */
function conductOf(shown: Conduct): Html {
  const { agent, conduct } = shown;
  const isHeld = agent.status === 'blocked' || conduct['holding'] !== 0;
  return html`<article class="card"><h2>What it has to answer for</h2>
${facts([
  ['Blocked', blocksOf(shown.blocks, shown.other_blocks)],
  ['Others with a key of it that are blocked', blocksOf(shown.twin_blocks, shown.other_twin_blocks)],
])}<details${isHeld ? html` open` : nothing}><summary>All of it: reviews, flags, and those of agents with a key of it</summary>${excerptOf(subjectAsJson({ agent, conduct }), { whole: true }).text}</details>
${isHeld ? actForm({ act: 'unblock', label: 'Unblock the agent', tone: 'danger', hidden: { seen: shown.digest } }) : nothing}</article>
`;
}

const withId = (body: (form: Form) => JsonObject) => (form: Form, person: PersonsVisit) => ({
  ...ofPage(form, person),
  body: body(form),
});

/**
 * One agent: how it stands, what may be changed, and what it has to answer for. The form that unblocks says what the person has seen: what came
 * since is refused, and shown.
 */
export const agentPage = consolePage({
  operation: 'agentPage',
  path: pathOfAgent(':id'),
  async show(person, entered) {
    const { visit } = person;
    const { id } = visit;
    const isDecider = decides(person);
    const { body: agent } = await visit.call(getAgent, { params: { id } });
    const conduct = isDecider ? (await visit.call(getConduct, { params: { id } })).body : null;
    return {
      title: 'Agent',
      live: { ids: [id] },
      body: html`<h1>“${agent.name}”</h1>
${live('state', html`<p class="lead"><code>${id}</code> ${badge(agent.status)}</p>\n${links(agent)}<section class="card">${factsOf(agent, isDecider ? await keysOf(person, id) : null)}</section>\n`)}${
        conduct === null
          ? agent.status === 'blocked'
            ? html`<p class="notice warning">An owner or administrator unblocks it; you are a member.</p>\n`
            : nothing
          : conductOf(conduct)
      }<div class="columns">${changes(person, agent, entered)}</div>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/agents/${id}` })}<p><a href="${HOME}/agents">All agents</a> · <a href="${HOME}">All that waits</a></p>`,
    };
  },
  done: { create: 'It is registered.' },
  acts: {
    // The form shows what may be null as it is, so an empty field clears it.
    change: callAct('It is changed.', patchAgent, {
      input: withId((form) => ({
        checkpoint_interval_seconds: null,
        monthly_limit_cents: null,
        ...valueOf(changeForm, form, changeOptions),
      })),
    }),
    block: callAct('It is blocked: it gets no new passport.', postBlock, {
      input: withId((form) => valueOf(blockForm, form, blockOptions)),
    }),
    unblock: callAct('It is unblocked.', postUnblock, { input: withId((form) => ({ seen: oneOf(form, 'seen') })) }),
    retire: callAct('It is retired: its keys are refused, and its passports revoked.', patchAgent, {
      sure: true,
      input: withId(() => ({ status: 'disabled' })),
    }),
    bringBack: callAct('It is active again.', patchAgent, { input: withId(() => ({ status: 'active' })) }),
  },
});
