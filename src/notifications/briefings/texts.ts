import { isGovernedAct, ruleOfAct } from '../../commands/governed-acts.ts';
import type { BriefingItem } from './schema.ts';

/*
 * What people are mailed. It has ids and words of ours alone: a name is what somebody wrote, who may be the one to beware of. A link leads
 * to a page that asks who is there, and decides nothing by being opened.
 */

type Payload = BriefingItem['payload'];

interface Told {
  what: string;
  /** A path of the dashboard. */
  page: string;
}

const actOf = ({ action = '' }: Payload): string =>
  isGovernedAct(action) ? ruleOfAct(action).what.replaceAll('`', '') : action;

/** By event. */
const tellings: Record<string, (payload: Payload) => Told> = {
  'approval.requested': (payload) => ({
    what: `${payload.requested_by} asks for approval, until ${payload.expires_at}: ${actOf(payload)}.`,
    page: `approvals/${payload.approval_id}`,
  }),
  'approval.expiring': (payload) => ({
    what: `Nobody has decided what ${payload.requested_by} asks for, and it lapses at ${payload.expires_at}: ${actOf(payload)}.`,
    page: `approvals/${payload.approval_id}`,
  }),
  'review.pending': ({ agent_id: agent, risk, checkout_id: review }) => ({
    what: `The work of agent ${agent} waits for your review. Risk: ${risk}.`,
    page: `reviews/${review}`,
  }),
  'member.invited': ({ member_id: member, role, invited_by: by }) => ({
    what: `${by} has invited somebody as ${role} (${member}).`,
    page: `members/${member}`,
  }),
  'api_key.created': ({ key_id: key, kind, role, agent_id: agent, created_by: by }) => ({
    what: `${by} has made a key of ${agent ?? (kind === 'partner' ? 'a partner' : `the operator, with the role ${role}`)} (${key}).`,
    page: `keys/${key}`,
  }),
  'operator.address_changed': ({ changed_by: by }) => ({
    what: `${by} has changed the e-mail address of the operator.`,
    page: 'operator',
  }),
  'agent.unblocked': ({ agent_id: agent, unblocked_by: by }) => ({
    what: `${by} has unblocked agent ${agent}.`,
    page: `agents/${agent}`,
  }),
};

/** A mail is read: the others are on the page. */
const MOST_SHOWN = 10;

const SUBJECTS = {
  work: (count: number) => (count === 1 ? 'A decision waits for you' : `${count} decisions wait for you`),
  security: (count: number) => (count === 1 ? 'A change at your operator' : `${count} changes at your operator`),
};

interface Letter {
  subject: string;
  text: string;
}

interface Briefing {
  items: readonly BriefingItem[];
  operatorId: string;
  baseUrl: string;
}

const letter = (subject: string, paragraphs: readonly string[]): Letter => ({
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
});

function briefing(
  kind: keyof typeof SUBJECTS,
  { items, operatorId, baseUrl }: Briefing,
  end: readonly string[],
): Letter {
  const dashboard = `${baseUrl}/dashboard`;
  const told = items.flatMap(({ event_type: type, payload }) => tellings[type]?.(payload) ?? []);
  const others = told.length - MOST_SHOWN;
  return letter(`Carnet: ${SUBJECTS[kind](told.length)}`, [
    ...told.slice(0, MOST_SHOWN).map(({ what, page }) => `${what}\n${dashboard}/${page}`),
    ...(others > 0 ? [`And ${others} more:\n${dashboard}`] : []),
    `Operator: ${operatorId}`,
    ...end,
  ]);
}

/** @param link ends such mails to this person */
export const workLetter = (items: Briefing, link: string): Letter =>
  briefing('work', items, [
    'You get this because you are an owner or administrator of this operator. Such mails are five minutes apart at least. End them here:',
    link,
  ]);

export const securityLetter = (items: Briefing): Letter =>
  briefing('security', items, [
    'If nobody of you did this, open the page and undo it. Owners and administrators get such mails for as long as they are that.',
  ]);

const ROLES: Partial<Record<string, string>> = { owner: 'an owner', admin: 'an administrator' };

export const invitationLetter = ({
  role = 'member',
  operatorId,
  baseUrl,
}: {
  role: string | null | undefined;
  operatorId: string;
  baseUrl: string;
}): Letter =>
  letter('Carnet: you are invited', [
    `You are invited to be ${ROLES[role ?? 'member'] ?? 'a member'} of operator ${operatorId} at Carnet. Sign in to see who invites you; you join only if you choose to:`,
    `${baseUrl}/dashboard/sign-in?operator_id=${operatorId}`,
    'If you do not know of this, do nothing. The invitation is mailed once a day at most.',
  ]);
