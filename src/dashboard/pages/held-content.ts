import type { PersonsVisit } from '../../console/visits.ts';
import { z } from 'zod';
import { mayApprove } from '../../commands/caller.ts';
import type { GovernedAct } from '../../commands/governed-acts.ts';
import type { ApprovalToDecide } from '../../governance/index.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { getContent } from '../../inbound/events/routes.ts';
import { contentText } from '../../inbound/pages/content.ts';

/** Acts whose decider must have read what came of an inbound event. */
const ABOUT_CONTENT: readonly string[] = [
  'inbound_event.replayed',
  'inbound_finding.marked_harmless',
] satisfies GovernedAct[];

/** Whether it waits for somebody who has to read what came. */
export const isAboutContent = ({ approval: { action, status } }: ApprovalToDecide): boolean =>
  ABOUT_CONTENT.includes(action) && (status === 'pending' || status === 'approved');

const About = z.object({ id: z.string(), endpoint_id: z.string(), attempt: z.int(), body_sha256: z.string() });

const nothing = html``;

/** The content that came, and whether the person can read there what they decide about. */
interface ShownContent {
  html: Html;
  isRead: boolean;
}

/** null: the approval is about no content, or this person decides nothing. Each time that it is shown counts as a read. */
export async function contentOf(person: PersonsVisit, toDecide: ApprovalToDecide): Promise<ShownContent | null> {
  if (!isAboutContent(toDecide) || !mayApprove(person.caller)) return null;
  const { data: about } = About.safeParse((toDecide.approval as { subject?: unknown }).subject);
  if (about === undefined) return { html: nothing, isRead: false };
  const { id, endpoint_id: endpointId, attempt, body_sha256: sha256 } = about;
  const params = { id: endpointId, eventId: id };
  const { body: content } = await person.visit.call(getContent, { params });
  const isSame = content.attempt === attempt && (content.body_sha256 ?? sha256) === sha256;
  const changed = isSame
    ? nothing
    : html`<p class="notice warning">This is what there is now: the event has changed since this was asked for, so the approval would not count.</p>\n`;
  return {
    html: html`<h3>What came</h3>
${changed}${contentText(content)}`,
    isRead: isSame && content.body_sha256 !== null,
  };
}
