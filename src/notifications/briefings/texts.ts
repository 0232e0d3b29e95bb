import { isGovernedAct, ruleOfAct } from '../../commands/governed-acts.ts';
import type { BriefedEventType } from '../../events/index.ts';
import { pageOfEvent } from '../page-of-event.ts';
import type { BriefingItem } from './schema.ts';

/*
 * The mails to people. They have ids and words of ours alone: a name is what somebody wrote, who may be the one to beware of. A link leads
 * to a page that asks who is there, and decides nothing by being opened.
 */

type Payload = BriefingItem['payload'];

const actOf = ({ action = '' }: Payload): string =>
  isGovernedAct(action) ? ruleOfAct(action).what.replaceAll('`', '') : action;

/** Says what happened, a sentence. */
const tellings: Record<BriefedEventType, (payload: Payload) => string> = {
  'approval.requested': (payload) =>
    `${payload.requested_by} asks for approval, until ${payload.expires_at}: ${actOf(payload)}.`,
  'approval.expiring': (payload) =>
    `Nobody has decided what ${payload.requested_by} asks for, and it lapses at ${payload.expires_at}: ${actOf(payload)}.`,
  'review.pending': ({ agent_id: agent, risk }) => `The work of agent ${agent} waits for your review. Risk: ${risk}.`,
  'member.invited': ({ member_id: member, role, invited_by: by }) =>
    `${by} has invited somebody as ${role} (${member}).`,
  'api_key.created': ({ key_id: key, kind, role, agent_id: agent, created_by: by }) =>
    `${by} has made a key of ${agent ?? (kind === 'partner' ? 'a partner' : `the operator, with the role ${role}`)} (${key}).`,
  'operator.address_changed': ({ changed_by: by }) => `${by} has changed the e-mail address of the operator.`,
  'agent.unblocked': ({ agent_id: agent, unblocked_by: by }) => `${by} has unblocked agent ${agent}.`,
};

/** Items that a mail names: the others are counted. A change that is left out of a security mail is a change that is hidden. */
const MOST_SHOWN = { work: 10, security: 500 };

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
  const others = items.length - MOST_SHOWN[kind];
  return letter(`Carnet: ${SUBJECTS[kind](items.length)}`, [
    ...items
      .slice(0, MOST_SHOWN[kind])
      .map(({ event_type: type, payload }) => `${tellings[type](payload)}\n${dashboard}${pageOfEvent(type, payload)}`),
    ...(others > 0 ? [`And ${others} more:\n${dashboard}`] : []),
    `Operator: ${operatorId}`,
    ...end,
  ]);
}

/** @param link ends such mails to this person */
export const workLetter = (items: Briefing, link: string): Letter =>
  briefing('work', items, [
    'You get this because you are an owner or administrator of this operator. While much waits there is one in five minutes. End them here:',
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
