import { listShown } from '../../console/list-page.ts';
import { consolePage } from '../../console/page.ts';
import { named } from '../../console/places.ts';
import type { Column } from '../../console/parts.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { mine } from '../list-routes.ts';
import type { ListedSkill } from '../schema.ts';
import { priceOf, ratingOf, SKILLS_PATH, stateOf } from './parts.ts';

const columns: readonly Column<ListedSkill>[] = [
  { title: 'Skill', cell: ({ name, id }) => named(name, id), text: ({ name }) => name },
  { title: 'Version', cell: ({ version }) => version, text: ({ version }) => version },
  { title: 'State', cell: stateOf, text: ({ status }) => status },
  { title: 'Review', cell: ({ review }) => review.status, text: ({ review }) => review.status },
  { title: 'Price', amount: true, cell: priceOf, text: ({ price_per_invocation: cents }) => cents },
  { title: 'Executed', cell: (skill) => skill.execution_mode, text: (skill) => skill.execution_mode },
  { title: 'Rating', cell: ratingOf, text: (skill) => skill.average_rating },
  {
    title: 'Runs',
    amount: true,
    cell: ({ invocation_count: count }) => count,
    text: ({ invocation_count: count }) => count,
  },
  { title: 'Changed', cell: ({ updated_at: at }) => moment(at), text: ({ updated_at: at }) => at },
];

/** The skills of the operator, in every state. */
export const ownSkillsPage = consolePage({
  operation: 'ownSkillsPage',
  path: SKILLS_PATH,
  show: (person) =>
    listShown(person, mine, {
      title: 'Your skills',
      beside: html`<a class="button primary" href="${SKILLS_PATH}/new">Publish a skill</a>`,
      id: 'skills',
      input: { query: { limit: '50' } },
      rows: (reply) => reply.skills,
      columns,
      nothing: html`You offer nothing yet. <a href="${SKILLS_PATH}/new">Publish a skill</a>: others find it in the market and pay for each run.`,
      changes: ({ id }) => id,
    }),
});
