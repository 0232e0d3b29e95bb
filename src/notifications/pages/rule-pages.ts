import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, ofPage, type Entered, type Form } from '../../console/page.ts';
import { badge, sure, empty } from '../../console/parts.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { standardEventTypes } from '../../events/index.ts';
import { getDestinations } from '../destinations/routes.ts';
import { getRule, patchRule, postRule } from '../rules/routes.ts';
import { CreateRuleSchema } from '../rules/schema.ts';
import { eventChoices } from './event-choices.ts';
import { DESTINATIONS_PATH, forOthers, RULES_PATH } from './parts.ts';

const form = schemaOf(CreateRuleSchema);
/** More than an operator may have. */
const ALL_DESTINATIONS = '100';

interface Chosen {
  destinations: readonly string[];
  events: readonly string[];
  least: string;
}

const optionsOf = (choices: readonly (readonly [string, string])[]) => ({
  only: ['destination_ids', 'min_severity'],
  labels: { destination_ids: 'Destinations', min_severity: 'From this severity on' },
  choices: { destination_ids: choices },
});

/** The destinations that may be named: verified ones, by their addresses. */
async function choicesOf({ visit }: PersonsVisit): Promise<[string, string][]> {
  const { destinations } = (await visit.call(getDestinations, { query: { limit: ALL_DESTINATIONS } })).body;
  return destinations
    .filter(({ verified }) => verified)
    .map(({ id, destination, channel_type: kind }) => [id, `${destination} (${kind})`]);
}

const severities = [
  ['info', 'Info, so all'],
  ['warning', 'Warning'],
  ['critical', 'Critical'],
] as const;

function ruleForm(
  choices: readonly (readonly [string, string])[],
  { destinations, events, least }: Chosen,
  { entered, label }: { entered: Entered | undefined; label: string },
): Html {
  if (choices.length === 0)
    return empty(html`No destination is verified. <a href="${DESTINATIONS_PATH}">Add one, or enter its code</a>.`);
  const options = optionsOf(choices);
  const ticked = entered === undefined ? events : [entered.form['events'] ?? []].flat();
  const fault = entered?.refusal.errors?.find(({ path }) => path === 'events' || path.startsWith('events.'))?.message;
  const fields = fieldsOf(
    form,
    { ...options, choices: { ...options.choices, min_severity: severities } },
    { values: { destination_ids: [...destinations], min_severity: least }, entered },
  );
  return html`<section class="card">${actForm({ act: 'save', label, tone: 'primary', fields: html`${fields}${eventChoices(ticked, fault)}` })}</section>
`;
}

/** Nothing that is ticked is an empty list, which the route refuses: a rule is about what a person has chosen. */
const bodyOf = (sent: Form): JsonObject => ({
  ...valueOf(form, sent, optionsOf([])),
  destination_ids: [sent['destination_ids'] ?? []].flat(),
  events: [sent['events'] ?? []].flat(),
});

export const newRulePage = consolePage({
  operation: 'newRulePage',
  path: `${RULES_PATH}/new`,
  async show(person, entered) {
    const title = 'Make a rule';
    const others = forOthers(person, title);
    if (others !== null) return others;
    const destination = oneOf(person.visit.query, 'destination');
    return {
      title,
      body: html`<h1>${title}</h1>
<p class="lead">Each event is sent to each of its destinations once, however many rules match it.</p>
${ruleForm(
  await choicesOf(person),
  { destinations: [destination], events: standardEventTypes, least: 'info' },
  { entered, label: 'Make the rule' },
)}`,
    };
  },
  acts: {
    save: callAct('The rule is made.', postRule, {
      input: (sent) => ({ body: bodyOf(sent) }),
      then: ({ id }) => `${RULES_PATH}/${id}`,
    }),
  },
});

export const rulePage = consolePage({
  operation: 'rulePage',
  path: `${RULES_PATH}/:id`,
  async show(person, entered) {
    const others = forOthers(person, 'Rule');
    if (others !== null) return others;
    const { visit } = person;
    const { body: rule } = await visit.call(getRule, { params: { id: visit.id } });
    return {
      title: 'Rule',
      body: html`<h1>Rule</h1>
<p class="lead"><code>${rule.id}</code> ${rule.active ? badge('active') : badge('no destination is left', 'warning')} made ${moment(rule.created_at)}</p>
${rule.active ? html`` : html`<p class="notice warning">All of its destinations were deleted, so it sends nothing. Choose others, or delete it.</p>\n`}${ruleForm(
        await choicesOf(person),
        { destinations: rule.destination_ids, events: rule.events, least: rule.min_severity },
        { entered, label: 'Save the rule' },
      )}<section class="card"><h2>Delete it</h2>${actForm({
        act: 'remove',
        label: 'Delete the rule',
        tone: 'danger',
        action: RULES_PATH,
        hidden: { id: rule.id },
        fields: sure('Events are not sent by it any more. What it has matched is still delivered.'),
      })}</section>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/notifications/channels/${rule.id}` })}`,
    };
  },
  acts: {
    save: callAct('The rule is saved.', patchRule, {
      input: (sent, person) => ({ ...ofPage(sent, person), body: bodyOf(sent) }),
    }),
  },
});
