import { asCurl } from '../../console/list.ts';
import { consolePage, live } from '../../console/page.ts';
import { badge, facts, momentOr } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { getLife } from '../routes.ts';
import type { Life } from '../schema.ts';

const runOf = (run: Life['run']): Html =>
  run === null
    ? html`<p class="muted">It has none, or Temporal has forgotten it.</p>`
    : facts([
        ['Run', html`<code>${run.run_id}</code>`],
        ['State', badge(run.status.toLowerCase())],
        ['Started', moment(run.started_at)],
        ['Ended', momentOr(run.closed_at, 'not yet')],
        ['Temporal UI', run.url === null ? null : html`<a href="${run.url}" rel="noreferrer">its page there</a>`],
      ]);

/** A life by its workflow id, for the platform. */
const lifePage = consolePage({
  operation: 'lifePage',
  path: `${HOME}/lives/:id`,
  async show({ visit }) {
    const { body: life } = await visit.call(getLife, { params: { id: visit.id } });
    const row = life.id.slice(life.kind.length + 1);
    return {
      title: 'Life',
      live: { ids: [life.id, row], looks: true },
      body: html`<h1>Life</h1>
${live(
  'state',
  html`<p class="lead"><code>${life.id}</code> ${badge(life.kind)}</p>
${life.failure === null ? html`` : html`<p class="notice error">${life.failure}</p>\n`}<div class="columns"><section class="card"><h2>In Postgres</h2>
${facts([
  ['Of', idLink(row)],
  ['In the turn of', life.turn_of === null ? 'nobody: nothing is due' : idLink(life.turn_of)],
  ['Messages nobody has looked at', life.messages],
  ['To be delivered as soon as it is due', life.is_ready ? 'yes' : 'no'],
  ['Looked at next', momentOr(life.due_at)],
  ['Looked at last', momentOr(life.seen_at, 'not yet')],
  ['Attempts since', life.attempts],
  ['Refused by Temporal since', life.refused_at === null ? null : moment(life.refused_at)],
])}</section>
<section class="card"><h2>Its newest run in Temporal</h2>
${runOf(life.run)}</section></div>
`,
)}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/admin/lives/${life.id}` })}`,
    };
  },
});

export const lifePages: readonly PathOfPeoplePage[] = [lifePage];
