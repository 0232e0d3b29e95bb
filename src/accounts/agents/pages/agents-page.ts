import type { z } from 'zod';
import { fieldsOf, schemaOf, valueOf } from '../../../console/form.ts';
import { asCurl } from '../../../console/list.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage } from '../../../console/page.ts';
import { badge, folded, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { dollars } from '../../../fields/dollars.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import { getAgents, postAgent } from '../routes.ts';
import { CreateAgentSchema, type Agent } from '../schema.ts';

const AGENTS_PATH = `${HOME}/agents`;

const columns: readonly Column<Agent>[] = [
  { title: 'Agent', cell: ({ id, name }) => named(name, id), text: ({ name }) => name },
  {
    title: 'State',
    cell: ({ status, retired_at: retired }) =>
      html`${badge(status)}${status === 'blocked' && retired !== null ? html` ${badge('retired', 'warning')}` : html``}`,
    text: ({ status }) => status,
  },
  {
    title: 'Accountability',
    cell: ({ accountability: own, held_to: { accountability: held } }) =>
      own === held ? own : html`${own}, held to <strong>${held}</strong>`,
    text: ({ held_to: { accountability: held } }) => held,
  },
  {
    title: 'Checkpoints each',
    amount: true,
    cell: ({ held_to: { checkpoint_interval_seconds: seconds } }) => (seconds === null ? '' : `${seconds} s`),
    text: ({ held_to: { checkpoint_interval_seconds: seconds } }) => seconds,
  },
  {
    title: 'Limit a month',
    amount: true,
    cell: ({ monthly_limit_cents: cents }) => (cents === null ? '' : dollars(cents)),
    text: ({ monthly_limit_cents: cents }) => cents,
  },
  {
    title: 'Partner',
    cell: ({ partner_grant_id: id }) => (id === null ? '' : idLink(id)),
    text: ({ partner_grant_id: id }) => id,
  },
  { title: 'Since', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => html`<code>${id}</code>`, text: ({ id }) => id },
];

const form = schemaOf(CreateAgentSchema);

/** The forms of an agent say a field in these words. */
export const agentFormOptions = {
  labels: {
    checkpoint_interval_seconds: 'Seconds between checkpoints',
    monthly_limit_cents: 'It may spend in a month',
    public_jwk: 'Public key (Ed25519), where it signs itself',
  },
  money: ['monthly_limit_cents'],
  hints: {
    accountability: 'Logged: it reports what it does. Enforced: a person reviews it too.',
    checkpoint_interval_seconds: '60 to 3,600; left out: none.',
    monthly_limit_cents: 'Left out: no limit.',
  },
};

/** The agents of the operator, and a form for another one. */
export const agentsPage = consolePage({
  operation: 'agentsPage',
  path: AGENTS_PATH,
  show: (person, entered) =>
    listShown(person, getAgents, {
      title: 'Agents',
      lead: 'An agent is a piece of software that acts for the operator, within what it is granted.',
      id: 'agents',
      changes: ({ id }) => id,
      looks: true,
      rows: (reply: z.output<typeof getAgents.reply>) => reply.agents,
      columns,
      nothing: 'There is no agent yet. Register the first below: it gets a passport, and orders work.',
      below: ({ agents }) =>
        folded(
          'Register an agent',
          html`${actForm({ act: 'create', label: 'Register it', tone: 'primary', fields: fieldsOf(form, agentFormOptions, { entered }) })}${asCurl(
            {
              method: 'POST',
              address: `${person.visit.context.config.publicBaseUrl}${postAgent.path}`,
              body: postAgent.example,
            },
          )}`,
          { open: agents.length === 0 || entered !== undefined },
        ),
    }),
  acts: {
    create: callAct('', postAgent, {
      input: (entered) => ({ body: valueOf(form, entered, agentFormOptions) }),
      then: ({ id }) => `${AGENTS_PATH}/${id}`,
    }),
  },
});
