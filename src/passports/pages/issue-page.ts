import { agentChoices } from '../../accounts/agents/pages/agent-choices.ts';
import { bindingChoices } from '../../authority/bindings/pages/binding-choices.ts';
import { identityChoices } from '../../authority/identity-claims/pages/identity-choices.ts';
import { missionChoices } from '../../authority/missions/pages/mission-choices.ts';
import { intentChoices } from '../../claims/pages/intent-choices.ts';
import { withChoices } from '../../console/choices.ts';
import { folded } from '../../console/folded.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { facts, shownOnce } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { issue } from '../issuing/routes.ts';
import { IssueBodySchema } from '../schema.ts';

export const ISSUE_PATH = `${HOME}/passports/issue`;

const form = schemaOf(IssueBodySchema);
const options: FormOptions = {
  labels: {
    agent_id: 'Agent',
    ttl_seconds: 'Seconds until it expires',
    audience: 'Services that may accept it',
    'budget.amount_cents': 'What its invocations may cost at most',
    'intent.summary': 'The agent is to',
    'intent.refs': 'Intent claims',
    identity_claim_ids: 'Identity claims',
    authority_binding_ids: 'Bindings',
    mission_ids: 'Missions',
    checkpoint_interval_seconds: 'Seconds between checkpoints',
  },
  hints: {
    ttl_seconds: '60 to 3,600',
    audience: 'Their service_ids; empty: each one that it has scopes for.',
    'budget.amount_cents': 'With those of all that is delegated from it.',
    checkpoint_interval_seconds: '60 to 3,600; left out: those of the agent.',
    'intent.services': 'Names or ids of the services that it is going to use',
  },
  money: ['budget.amount_cents'],
};

const first = ['agent_id', 'ttl_seconds'];
const limits = ['scopes', 'audience', 'budget'];
const more = ['intent', 'mission_ids', 'authority_binding_ids', 'identity_claim_ids', 'checkpoint_interval_seconds'];

/** The options with what the operator has, where that is few enough to choose from. */
const offered = async (person: PersonsVisit): Promise<FormOptions> =>
  withChoices(options, {
    agent_id: await agentChoices(person, { acting: true }),
    mission_ids: await missionChoices(person),
    identity_claim_ids: await identityChoices(person),
    authority_binding_ids: await bindingChoices(person),
    'intent.refs': await intentChoices(person),
  });

/** Issues a passport, whose token is shown once. */
export const issuePage = consolePage({
  operation: 'issuePassportPage',
  path: ISSUE_PATH,
  async show(person, entered) {
    const seen = { options: await offered(person), entered };
    const values = { agent_id: oneOf(person.visit.query, 'agent_id'), ttl_seconds: 900 };
    return {
      title: 'Issue a passport',
      body: html`<h1>Issue a passport</h1>
<p class="lead">An agent shows the token of its passport to a service, which verifies it. Scopes come from the <a href="${HOME}/connections">connections and grants</a> of the agent; without any, the passport has none.</p>
${actForm({
  act: 'issue',
  label: 'Issue it',
  tone: 'primary',
  fields: html`<section class="card">${fieldsOf(form, { ...seen.options, only: first }, { values, entered })}</section>
${folded('Narrow it: scopes, services and budget', form, { only: limits, ...seen })}${folded('Intent, missions, bindings, claims and checkpoints', form, { only: more, ...seen })}`,
})}
${asCurl({ method: 'POST', address: `${person.visit.context.config.publicBaseUrl}${issue.path}`, body: issue.example })}`,
    };
  },
  acts: {
    issue: callAct('It is issued.', issue, {
      input: (entered) => ({ body: valueOf(form, entered, options) }),
      then: ({ token, jti, expires_at: until }) => ({
        title: 'The passport',
        body: html`<h1>The passport</h1>
${shownOnce('The token', token)}<section class="card">${facts([
          ['Passport', idLink(jti)],
          ['Expires', moment(until)],
        ])}</section>
<p>The agent sends it to a service, in the header <code>Authorization: Bearer</code> for example. <a href="${HOME}/passports">All passports</a></p>
`,
      }),
    }),
  },
  formBytes: 65_536,
});
