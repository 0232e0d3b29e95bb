import { agentChoices } from '../../accounts/agents/pages/agent-choices.ts';
import { missionChoices } from '../../authority/missions/pages/mission-choices.ts';
import { withChoices } from '../../console/choices.ts';
import { passportChoices } from '../../passports/pages/passport-choices.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { consolePage, keyOf, type Act, type Entered } from '../../console/page.ts';
import { HOME } from '../../console/places.ts';
import { schemaValue } from '../../console/schema-form.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { findVisibleSkill } from '../../skills/index.ts';
import { runForm, TRY_PATH } from '../../skills/pages/run-form.ts';
import { attempt, invoke } from '../routes.ts';
import { InvokeBodySchema } from '../schema.ts';

const bodyForm = schemaOf(InvokeBodySchema);

/** Who invokes, where it is more than the operator: a skill of level L1 or L2 asks for it. */
const bodyOptions: FormOptions = {
  only: ['agent_id', 'passport_id', 'mission_id', 'ttl_seconds'],
  labels: {
    agent_id: 'Agent',
    passport_id: 'Passport',
    mission_id: 'Mission',
    ttl_seconds: 'Seconds until it expires',
  },
};

/** The skill as somebody may run it, and the call that does. */
async function runnable({ visit, caller }: PersonsVisit) {
  const { row, maxComputeCents } = await findVisibleSkill(visit.context, caller, visit.id);
  const isOwn = row.operator_id === caller.operatorId;
  // Its owner tries what the service executes, whether it is public or not.
  return { row, maxComputeCents, isOwn, route: isOwn && row.execution_mode !== 'open' ? attempt : invoke };
}

async function more(person: PersonsVisit, level: string, entered: Entered | undefined) {
  const options = withChoices(bodyOptions, {
    agent_id: await agentChoices(person, { acting: true }),
    passport_id: await passportChoices(person),
    mission_id: await missionChoices(person),
  });
  return html`<details${level === 'L0' && entered === undefined ? html`` : html` open`}><summary>Agent, passport and mission</summary>
${fieldsOf(bodyForm, options, { entered })}</details>
`;
}

/** Begins a run; the page of the invocation then follows it. */
const run: Act = {
  done: '',
  async run(person, form) {
    const { row, route, isOwn } = await runnable(person);
    const { visit } = person;
    const price = oneOf(form, 'max_price_cents');
    const body = {
      ...valueOf(bodyForm, form, bodyOptions),
      input: schemaValue(form, { root: 'input', schema: row.input_schema }),
      // The price that the form showed: where the skill is dearer by now, nothing is begun.
      ...(!isOwn && /^\d{1,15}$/.test(price) && { max_price_cents: Number(price) }),
    };
    const made = await visit.call(route, { params: { id: visit.id }, body, key: keyOf(form) });
    return `${HOME}/invocations/${made.body.id}`;
  },
};

/** A run of a skill: what it costs, its input, and a button. */
export const tryPage = consolePage({
  operation: 'tryPage',
  path: `${TRY_PATH}/:id`,
  async show(person, entered) {
    const { row, maxComputeCents, isOwn } = await runnable(person);
    return {
      title: `Run ${row.name}`,
      body: html`<h1>Run ${row.name}</h1>
<p class="lead">${row.description}</p>
<p><a href="${HOME}/market/${row.id}">The whole offer</a></p>
<section class="card">${runForm(person, {
        skillId: row.id,
        schema: row.input_schema,
        priceCents: isOwn ? 0 : row.price_per_invocation,
        computeCents: maxComputeCents,
        more: await more(person, row.trust_level_required, entered),
        entered,
      })}</section>`,
    };
  },
  acts: { run },
  formBytes: 1_048_576,
});
