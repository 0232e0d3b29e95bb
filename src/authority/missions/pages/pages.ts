import { agentChoices } from '../../../accounts/agents/pages/agent-choices.ts';
import { withChoices } from '../../../console/choices.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../../console/form.ts';
import { asCurl } from '../../../console/list.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, live, ofPage } from '../../../console/page.ts';
import { badge, facts, momentOr, sure, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { getMission, getMissions, postComplete, postMission } from '../routes.ts';
import { CreateMissionSchema, type Mission } from '../schema.ts';

const MISSIONS_PATH = `${HOME}/missions`;
/** Characters of an intent in a list; its page has all of it. */
const SHOWN = 120;

const columns: readonly Column<Mission>[] = [
  {
    title: 'Mission',
    cell: ({ id, declared_intent: intent }) => named(intent.slice(0, SHOWN).toWellFormed(), id),
    text: ({ declared_intent: intent }) => intent,
  },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  {
    title: 'Agent',
    cell: ({ agent_id: id }) => (id === null ? 'any' : idLink(id)),
    text: ({ agent_id: id }) => id,
  },
  { title: 'Ends', cell: ({ expires_at: at }) => momentOr(at), text: ({ expires_at: at }) => at },
  { title: 'Declared', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

const form = schemaOf(CreateMissionSchema);
const options: FormOptions = {
  labels: { declared_intent: 'What it is for', agent_id: 'Agent', expires_at: 'Ends' },
  hints: {
    agent_id: 'Empty: passports of any agent may name it.',
    expires_at: 'Empty: when it is completed.',
  },
};

const missionsPage = consolePage({
  operation: 'missionsPage',
  path: MISSIONS_PATH,
  show: (person, entered) =>
    listShown(person, getMissions, {
      title: 'Missions',
      lead: 'A mission says what work is for.',
      id: 'missions',
      rows: (reply) => reply.missions,
      columns,
      nothing: 'No mission is declared yet. Declare one below; passports and invocations may name it.',
      changes: ({ id }) => id,
      below: async () => html`<section class="card"><h2>Declare a mission</h2>
${actForm({ act: 'declare', label: 'Declare it', tone: 'primary', fields: fieldsOf(form, withChoices(options, { agent_id: await agentChoices(person, { acting: true }) }), { entered }) })}</section>
`,
    }),
  acts: {
    declare: callAct('', postMission, {
      input: (typed) => ({ body: valueOf(form, typed, options) }),
      then: ({ id }) => `${MISSIONS_PATH}/${id}`,
    }),
  },
});

const missionPage = consolePage({
  operation: 'missionPage',
  path: `${MISSIONS_PATH}/:id`,
  async show({ visit }) {
    const { body: shown } = await visit.call(getMission, { params: { id: visit.id } });
    const complete =
      shown.status === 'active'
        ? html`<section class="card"><h2>Complete it</h2>
<p>No later passport can name it. This cannot be undone.</p>
${actForm({ act: 'complete', label: 'Complete the mission', tone: 'danger', fields: sure('Its work is done') })}</section>
`
        : html``;
    return {
      title: 'Mission',
      live: { ids: [shown.id] },
      body: html`<h1>Mission</h1>
${live(
  'state',
  html`<p class="lead"><code>${shown.id}</code> ${badge(shown.status)}</p>
<section class="card"><p>${shown.declared_intent}</p>
${facts([
  ['Agent', shown.agent_id === null ? 'any of the operator' : idLink(shown.agent_id)],
  ['Claim', idLink(shown.claim_id)],
  ['Declared', moment(shown.created_at)],
  ['Ends', shown.expires_at === null ? null : moment(shown.expires_at)],
  ['Completed', shown.completed_at === null ? null : moment(shown.completed_at)],
])}</section>
`,
)}${complete}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/missions/${shown.id}` })}`,
    };
  },
  acts: {
    complete: callAct('It is completed.', postComplete, { sure: true, input: ofPage }),
  },
  done: { declare: 'It is declared.' },
});

export const missionPages: readonly PathOfPeoplePage[] = [missionsPage, missionPage];
