import { HOME } from '../../console/places.ts';
import { personsPage } from '../../console/layout.ts';
import {
  assertDecides,
  byPerson,
  callOf,
  forPerson,
  isRefusal,
  redirect,
  type PersonsVisit,
} from '../../console/visits.ts';
import { z } from 'zod';
import { readConduct, unblockAgent } from '../../accounts/index.ts';
import { mayApprove } from '../../commands/caller.ts';
import { subjectAsJson } from '../../commands/subject-digest.ts';
import type { CarnetError } from '../../errors/carnet-error.ts';
import { parseOrRefuse } from '../../errors/faults.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';
import { excerptOf } from '../../console/readable.ts';

export const pathOfAgent = (agentId: string): string => `${HOME}/agents/${agentId}`;

const nothing = html``;

type Conduct = Awaited<ReturnType<typeof readConduct>>;

const blocksOf = (blocks: Conduct['blocks'], others: number): Html =>
  blocks.length === 0
    ? html`none`
    : html`<ul>
${blocks.map(({ agent_id: agent, blocked_at: at, blocked_by: by, reason, checkout_id: review }) => html`<li><a href="${pathOfAgent(agent)}"><code>${agent}</code></a>, ${moment(at)}, by <code>${by ?? 'unknown'}</code>${reason === null ? nothing : html`: ${reason}`}${review === null ? nothing : html` (<a href="${HOME}/reviews/${review}">the review</a>)`}</li>\n`)}${others === 0 ? nothing : html`<li>and ${others} before these</li>\n`}</ul>`;

function decisionOf({ caller }: PersonsVisit, { agent, conduct, digest }: Conduct): Html {
  if (agent.status !== 'blocked' && conduct['holding'] === 0) return nothing;
  if (!mayApprove(caller))
    return html`<p class="notice warning">An owner or administrator decides this; you are a member.</p>`;
  return html`<form method="post" action="${pathOfAgent(agent.id)}" class="actions">
<input type="hidden" name="seen" value="${digest}">
<button class="danger">Unblock the agent</button>
</form>`;
}

async function shownAgent(person: PersonsVisit, refusal?: CarnetError): Promise<Page> {
  const { context, id } = person.visit;
  const shown = await readConduct(context, person.caller, id);
  const { agent, conduct } = shown;
  return personsPage(person, {
    title: 'Agent',
    refusal,
    body: html`<h1>“${agent.name}”</h1>
<article class="card">
<dl class="facts">
<dt>Agent</dt><dd><code>${agent.id}</code>, ${agent.status}${agent.retired_at === null ? nothing : html`, retired ${moment(agent.retired_at)}`}</dd>
<dt>Blocked</dt><dd>${blocksOf(shown.blocks, shown.other_blocks)}</dd>
<dt>Others with a key of it that are blocked</dt><dd>${blocksOf(shown.twin_blocks, shown.other_twin_blocks)}</dd>
<dt>All of it</dt><dd>${excerptOf(subjectAsJson({ agent, conduct }), { whole: true }).text}</dd>
</dl>
${decisionOf(person, shown)}</article>
<p><a href="${HOME}">All that waits</a></p>`,
  });
}

const UnblockForm = z.strictObject({ seen: z.string() });

/** Shows what an agent has to answer for, to unblock it. The form says what the person has seen: what came since is refused, and shown. */
export const agentPage: PeoplePage = {
  operation: 'agentPage',
  page: (visit) => forPerson(visit, pathOfAgent(visit.id), (person) => shownAgent(person)),
  submit: (submission) =>
    byPerson(submission, pathOfAgent(submission.id), async (person) => {
      const { id, context, form } = submission;
      try {
        assertDecides(person);
        const body = parseOrRefuse(UnblockForm, form);
        const path = `/v1/agents/${id}/unblock`;
        const call = callOf(person, { operation: 'unblockAgent', method: 'POST', path, body });
        await unblockAgent(context, call, { agentId: id, seen: body.seen });
        return redirect(pathOfAgent(id));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return await shownAgent(person, error);
      }
    }),
};
