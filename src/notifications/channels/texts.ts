import { z } from 'zod';
import { pageOfEvent } from '../page-of-event.ts';

/** The type of every event that tests a destination. */
export const TEST_EVENT = 'notification.test';

/** An event as people read it. */
export interface EventText {
  /** The subject of a mail; names the service, the event and whom it is about by id: no person, and nothing that somebody else wrote. */
  subject: string;
  mail: string;
  /** It has plain characters alone, so that it takes as few parts as it can. */
  sms: string;
}

/** The parts of a text. */
interface Happened {
  eventType: string;
  severity: string;
  /** JSON. */
  payload: string;
  /** ISO 8601. */
  occurredAt: string;
  operatorId: string;
  destinationId: string;
  publicBaseUrl: string;
  /** The link that ends what is sent to this address; null: an administrator ends it. */
  unsubscribe: string | null;
}

/** The members of payloads that texts use; each event has some of it. */
const Payload = z.object({
  jti: z.string().optional(),
  agent_id: z.string().nullable().optional(),
  reason: z.string().nullable().optional(),
  expected_by: z.string().optional(),
  checkout_id: z.string().nullable().optional(),
  approval_id: z.string().optional(),
  key_id: z.string().optional(),
  member_id: z.string().optional(),
  flags: z.array(z.object({ type: z.string(), severity: z.string(), message: z.string() })).optional(),
  invocation_id: z.string().optional(),
  skill_id: z.string().optional(),
  balance_cents: z.number().optional(),
  low_balance_cents: z.number().optional(),
  event_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  verdict: z.string().optional(),
  detectors: z.array(z.string()).optional(),
  destination_id: z.string().optional(),
  places: z.number().optional(),
  timeouts_in_row: z.number().optional(),
});
type Payload = z.infer<typeof Payload>;

interface Sentences {
  /** One line: what happened, to whom. */
  what: string;
  /** More about it, a line each. */
  details: string[];
  /** Tells what to do now. */
  act: string;
}

/** Longer ones are cut. */
const MAX_QUOTATION = 200;

/** Puts what agents and people wrote on one line and in quotation marks, so that nothing in it looks like words of the service. */
const quoted = (text: string): string =>
  `“${text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[“”]/gu, '"')
    .slice(0, MAX_QUOTATION)
    .toWellFormed()}”`;

/** The id of what an event is about; of the wallet and of tests there is none. */
const aboutOf = ({ invocation_id: invocationId, agent_id: agentId }: Payload): string => {
  const id = invocationId ?? agentId ?? null;
  return id === null ? '' : `, ${id}`;
};
const agentOf = ({ agent_id: agentId }: Payload): string => `Agent ${agentId ?? 'of yours'}`;
const reasonOf = ({ reason }: Payload): string[] =>
  reason === undefined || reason === null ? [] : [`Reason: ${quoted(reason)}`];
const passportOf = ({ jti }: Payload): string[] => (jti === undefined ? [] : [`Passport: ${jti}`]);
const dollars = (cents: number | undefined): string => `${((cents ?? 0) / 100).toFixed(2)} USD`;

const slow = (who: string, { places, timeouts_in_row: timeouts }: Payload): Sentences => ({
  what:
    places === 0
      ? `${who} still gives no answer: nothing is sent to it for a minute at a time.`
      : `${who} gives no answer in time: one call is made to it at a time.`,
  details: timeouts === undefined ? [] : [`Timeouts in a row: ${timeouts}`],
  act: 'Look whether it runs. It is used as before once it answers.',
});

const recovered = (who: string): Sentences => ({
  what: `${who} answers again and is used as before.`,
  details: [],
  act: 'Look at what was not delivered meanwhile, and send it again if you want it.',
});

/** Events that have words of their own; all others are named as they are. */
const sentences: Record<string, (payload: Payload) => Sentences> = {
  'passport.flagged': (payload) => ({
    what: `${agentOf(payload)} was flagged while it used a passport.`,
    details: [
      ...passportOf(payload),
      ...(payload.flags ?? []).map(({ type, severity, message }) => `${severity}: ${quoted(message)} (${type})`),
    ],
    act: 'Look at what it did, and revoke the passport if it should stop.',
  }),
  'passport.blocked': (payload) => ({
    what: `A review blocked a passport of agent ${payload.agent_id ?? 'of yours'}.`,
    details: [...passportOf(payload), ...reasonOf(payload)],
    act: 'Look at the review.',
  }),
  'agent.blocked': (payload) => ({
    what: `${agentOf(payload)} was blocked. It gets no passports until an administrator unblocks it.`,
    details: reasonOf(payload),
    act: 'Look at what it has to answer for, and unblock the agent if it may go on.',
  }),
  'passport.missed_checkout': (payload) => ({
    what: `${agentOf(payload)} did not report the end of its work in time.`,
    details: [
      ...passportOf(payload),
      ...(payload.expected_by === undefined ? [] : [`Expected by: ${payload.expected_by}`]),
    ],
    act: 'Find out whether it still works, and revoke the passport if it should not.',
  }),
  'approval.requested': (payload) => ({
    what: 'A key or token asks for the approval of a person.',
    details: [`Approval: ${payload.approval_id}`],
    act: 'Read it, and decide.',
  }),
  'approval.expiring': (payload) => ({
    what: 'A request that nobody has decided lapses soon.',
    details: [`Approval: ${payload.approval_id}`],
    act: 'Read it, and decide.',
  }),
  'review.pending': (payload) => ({
    what: `The work of agent ${payload.agent_id ?? 'of yours'} waits for a review.`,
    details: passportOf(payload),
    act: 'Look at what it did, and decide.',
  }),
  'member.invited': (payload) => ({
    what: 'Somebody was invited to be a member.',
    details: [`Member: ${payload.member_id}`],
    act: 'Withdraw the invitation if it should not be.',
  }),
  'api_key.created': (payload) => ({
    what: 'A key was made.',
    details: [`Key: ${payload.key_id}`],
    act: 'Delete it if it should not be.',
  }),
  'operator.address_changed': () => ({
    what: 'The e-mail address of the operator was changed.',
    details: [],
    act: 'Look whether it should be so.',
  }),
  'agent.unblocked': (payload) => ({
    what: `${agentOf(payload)} was unblocked. It gets passports again.`,
    details: [],
    act: 'Look whether it should be so.',
  }),
  'wallet.low_balance': (payload) => ({
    what: `Your wallet has ${dollars(payload.balance_cents)} left, less than the ${dollars(payload.low_balance_cents)} that you set.`,
    details: [],
    act: 'Top it up before work is refused.',
  }),
  'inbound.blocked': (payload) => ({
    what: `What a provider sent to ${agentOf(payload)} was blocked: the scanner found it ${payload.verdict ?? 'suspicious'}.`,
    details: [
      ...(payload.event_id === undefined ? [] : [`Event: ${payload.event_id}`]),
      ...(payload.endpoint_id === undefined ? [] : [`Endpoint: ${payload.endpoint_id}`]),
      ...(payload.detectors === undefined ? [] : [`Found: ${payload.detectors.join(', ')}`]),
    ],
    act: 'Look at its findings. If it is harmless, change the policy of the endpoint and replay the event.',
  }),
  'inbound.slow': (payload) => slow(`The receiver of endpoint ${payload.endpoint_id ?? 'of yours'}`, payload),
  'destination.slow': (payload) => slow(`The destination ${payload.destination_id ?? 'of yours'}`, payload),
  'inbound.recovered': (payload) => recovered(`The receiver of endpoint ${payload.endpoint_id ?? 'of yours'}`),
  'destination.recovered': (payload) => recovered(`The destination ${payload.destination_id ?? 'of yours'}`),
  [TEST_EVENT]: () => ({
    what: 'This is a test. Notifications of Carnet reach you here.',
    details: [],
    act: 'There is nothing to do.',
  }),
};

/** Says what happened in the optional families, and what else may come. */
const named = (eventType: string, { invocation_id: invocationId, skill_id: skillId }: Payload): Sentences => ({
  what:
    invocationId === undefined
      ? `${eventType} happened.`
      : `Invocation ${invocationId}: ${eventType.split('.').at(-1)}.`,
  details: skillId === undefined ? [] : [`Skill: ${skillId}`],
  act: 'Look it up.',
});

/** Two parts of an SMS. */
const MAX_SMS_CHARACTERS = 300;

/** The text of an event: what happened, to whom, where to act, and how to end such messages. */
export function eventText(happened: Happened): EventText {
  const { eventType, severity, occurredAt, operatorId, destinationId, publicBaseUrl, unsubscribe } = happened;
  const payload = Payload.catch({}).parse(JSON.parse(happened.payload));
  const { what, details, act } = (sentences[eventType] ?? ((one: Payload) => named(eventType, one)))(payload);
  const page = new URL(`/dashboard${pageOfEvent(eventType, payload)}`, publicBaseUrl).href;
  return {
    subject: `Carnet: ${eventType} (${severity})${aboutOf(payload)}`,
    mail: [
      what,
      '',
      ...details.map((line) => `  ${line}`),
      ...(details.length > 0 ? [''] : []),
      act,
      page,
      '',
      `Event: ${eventType}, ${severity}, ${occurredAt}`,
      `Operator: ${operatorId}`,
      '',
      eventType === TEST_EVENT
        ? `You get this because an administrator of the operator has sent a test to this address (destination ${destinationId}).`
        : `You get this because a rule of the operator names this address (destination ${destinationId}).`,
      ...(unsubscribe === null
        ? [`An administrator ends it: DELETE ${publicBaseUrl}/v1/notifications/destinations/${destinationId}`]
        : ['End such mails here:', unsubscribe]),
      '',
    ].join('\n'),
    sms: smsOf(`Carnet, ${severity}: ${what}`, ` ${page} To end this, delete ${destinationId}.`),
  };
}

/** Where to act and how to end it is there, however long what happened is. */
const smsOf = (what: string, rest: string): string =>
  `${what.slice(0, Math.max(MAX_SMS_CHARACTERS - rest.length, 0))}${rest}`;
