import { z } from 'zod';

export const severities = ['info', 'warning', 'critical'] as const;
export const SeveritySchema = z.enum(severities);
export type Severity = z.infer<typeof SeveritySchema>;

/**
 * Who is notified of it. `standard`: a rule without `events` has it. `briefed`: people are mailed about it without a rule, and a rule that is to have it
 * names it. `optional`: it happens too often to be written for everybody, so it is
 * written for operators with a rule that names it. `none`: it is sent by itself, and no rule can name it.
 */
type Subscription = 'standard' | 'briefed' | 'optional' | 'none';

interface EventDefinition {
  subscription: Subscription;
  /** When it happens, a sentence. */
  description: string;
  severities: readonly [Severity, ...Severity[]];
  /** The statement about it, by what records it (record_service_event); more members may come. */
  payload: z.ZodObject;
  /** A payload of it, for receivers to be built on. */
  sample: object;
}

const passport = { jti: z.string(), agent_id: z.string() };
const ids = {
  jti: 'psp_01K0000000000000000000000A',
  agent_id: 'ag_01K0000000000000000000000A',
  checkout_id: 'chko_01K0000000000000000000000A',
};

const InvocationPayload = z.object({
  invocation_id: z.string(),
  skill_id: z.string(),
  skill_version: z.string(),
  status: z.enum(['pending', 'completed', 'failed', 'expired']),
  consumer_operator_id: z.string(),
  provider_operator_id: z.string(),
  agent_id: z.string().nullable().meta({ description: 'The agent of the consumer that invoked; null: none.' }),
});

/** The share of a receiver that hangs. */
const share = {
  places: z.int().min(0).max(1).meta({ description: '0: nothing is sent to it for a minute at a time.' }),
  timeouts_in_row: z.int(),
};

/** The provider and the consumer are notified, each where it has a rule for it. */
const invocation = (
  status: z.infer<typeof InvocationPayload>['status'],
  severity: Severity,
  description: string,
): EventDefinition => ({
  subscription: 'optional',
  description,
  severities: [severity],
  payload: InvocationPayload,
  sample: {
    invocation_id: 'inv_01K0000000000000000000000A',
    skill_id: 'skl_01K0000000000000000000000A',
    skill_version: '1.0.0',
    status,
    consumer_operator_id: 'op_01K0000000000000000000000A',
    provider_operator_id: 'op_01K0000000000000000000000B',
    agent_id: ids.agent_id,
  } satisfies z.input<typeof InvocationPayload>,
});

const by = z.string().meta({ description: 'The credential or member that did it.' });
const sampleBy = 'key_01K0000000000000000000000A';

const approval = (description: string) =>
  ({
    subscription: 'briefed',
    description,
    severities: ['warning'],
    payload: z.object({ approval_id: z.string(), action: z.string(), requested_by: by, expires_at: z.string() }),
    sample: {
      approval_id: 'apr_01K0000000000000000000000A',
      action: 'agent.unblocked',
      requested_by: sampleBy,
      expires_at: '2026-11-22T12:00:00.000Z',
    },
  }) as const satisfies EventDefinition;

/** Every event that there is, and what else a webhook is sent; the SQL function optional_event_types() names the optional ones too, and a test compares the two. */
export const eventDefinitions = {
  'passport.flagged': {
    subscription: 'standard',
    description:
      'A session of an agent was flagged; one event for the flags that were raised together, as severe as the worst of them.',
    severities: ['warning', 'critical'],
    payload: z.object({
      ...passport,
      checkout_id: z.string().nullable().meta({ description: 'The review that waits for a decision; null: none.' }),
      flags: z
        .array(z.object({ type: z.string(), severity: z.enum(['warning', 'critical']), message: z.string() }))
        .min(1),
    }),
    sample: {
      jti: ids.jti,
      agent_id: ids.agent_id,
      checkout_id: null,
      flags: [
        {
          type: 'missed_checkpoint',
          severity: 'warning',
          message: 'No checkpoint came that was due at 2026-11-21T12:05:00.000Z.',
        },
      ],
    },
  },
  'passport.blocked': {
    subscription: 'standard',
    description: 'A person has blocked a passport when they reviewed its checkout.',
    severities: ['critical'],
    payload: z.object({ ...passport, checkout_id: z.string(), reason: z.string() }),
    sample: { ...ids, reason: 'Blocked by review' },
  },
  'agent.blocked': {
    subscription: 'standard',
    description: 'An agent was blocked, by the review of a checkout or without one: it gets no passports.',
    severities: ['critical'],
    payload: z.object({
      agent_id: z.string(),
      checkout_id: z
        .string()
        .nullable()
        .meta({ description: 'The review that blocked it; null: it was blocked without one.' }),
      reason: z.string(),
    }),
    sample: { agent_id: ids.agent_id, checkout_id: ids.checkout_id, reason: 'Blocked by review' },
  },
  'passport.missed_checkout': {
    subscription: 'standard',
    description: 'A session ended, and its checkout did not come in time; critical where the agent is enforced.',
    severities: ['warning', 'critical'],
    payload: z.object({
      ...passport,
      expected_by: z.string(),
      checkout_id: z
        .string()
        .nullable()
        .meta({ description: 'The review that it made; null: the agent is not enforced.' }),
    }),
    sample: {
      jti: ids.jti,
      agent_id: ids.agent_id,
      expected_by: '2026-11-21T12:00:00.000Z',
      checkout_id: ids.checkout_id,
    },
  },
  'approval.requested': approval('A key or token wants to do what a person must approve.'),
  'approval.expiring': approval(
    'A request that nobody has decided lapses soon: within the hour, or in a quarter of its time.',
  ),
  'review.pending': {
    subscription: 'briefed',
    description: 'The checkout of an enforced agent waits for the review of a person.',
    severities: ['warning', 'critical'],
    payload: z.object({ checkout_id: z.string(), ...passport, risk: z.enum(['clean', 'flagged', 'critical']) }),
    sample: { ...ids, risk: 'flagged' },
  },
  'member.invited': {
    subscription: 'briefed',
    description: 'Somebody was invited to be a member.',
    severities: ['warning'],
    payload: z.object({ member_id: z.string(), role: z.enum(['owner', 'admin', 'member']), invited_by: by }),
    sample: { member_id: 'mem_01K0000000000000000000000B', role: 'admin', invited_by: sampleBy },
  },
  'api_key.created': {
    subscription: 'briefed',
    description: 'A key was made, of the operator, of an agent or of a partner.',
    severities: ['warning'],
    payload: z.object({
      key_id: z.string(),
      kind: z.enum(['operator', 'agent', 'partner']),
      role: z
        .enum(['admin', 'member'])
        .nullable()
        .meta({ description: 'The role of a key of the operator; null: it is of another kind.' }),
      agent_id: z.string().nullable(),
      created_by: by,
    }),
    sample: {
      key_id: 'key_01K0000000000000000000000B',
      kind: 'operator',
      role: 'member',
      agent_id: null,
      created_by: sampleBy,
    },
  },
  'operator.address_changed': {
    subscription: 'briefed',
    description: 'The e-mail address of the operator was changed.',
    severities: ['warning'],
    payload: z.object({ changed_by: by }),
    sample: { changed_by: sampleBy },
  },
  'agent.unblocked': {
    subscription: 'briefed',
    description: 'A block of an agent was lifted, or what reviews that were blocked hold of it.',
    severities: ['warning'],
    payload: z.object({ agent_id: z.string(), unblocked_by: by }),
    sample: { agent_id: ids.agent_id, unblocked_by: 'mem_01K0000000000000000000000A' },
  },
  'invocation.created': invocation('pending', 'info', 'A skill was invoked.'),
  'invocation.completed': invocation('completed', 'info', 'The provider delivered the output.'),
  'invocation.failed': invocation('failed', 'warning', 'The provider gave up.'),
  'invocation.expired': invocation('expired', 'warning', 'The time to live was over before it was completed.'),
  'invocation.cancelled': invocation(
    'failed',
    'info',
    'The consumer cancelled it before it was done; its status is `failed`.',
  ),
  'wallet.low_balance': {
    subscription: 'optional',
    description:
      'The available balance has passed below `low_balance_cents` of the operator (`PATCH /v1/operators/me`); again only after it was at or above it.',
    severities: ['warning'],
    payload: z.object({ balance_cents: z.int(), low_balance_cents: z.int() }),
    sample: { balance_cents: 975, low_balance_cents: 1_000 },
  },
  'inbound.blocked': {
    subscription: 'optional',
    description: 'The policy of an inbound endpoint holds an event that a provider sent; it was not forwarded.',
    severities: ['warning', 'critical'],
    payload: z.object({
      event_id: z.string(),
      endpoint_id: z.string(),
      agent_id: z.string(),
      verdict: z.enum(['clean', 'suspicious', 'malicious']),
      severity: z.enum(['low', 'medium', 'high', 'critical']),
      detectors: z.array(z.string()),
    }),
    sample: {
      event_id: 'iev_01K0000000000000000000000A',
      endpoint_id: 'inw_01K0000000000000000000000A',
      agent_id: ids.agent_id,
      verdict: 'malicious',
      severity: 'high',
      detectors: ['instruction_override'],
    },
  },
  'inbound.slow': {
    subscription: 'optional',
    description:
      'The receiver of an inbound endpoint hangs: after three timeouts in a row forwards to it have one place, after three more none for a minute at a time.',
    severities: ['warning'],
    payload: z.object({ endpoint_id: z.string(), agent_id: z.string(), ...share }),
    sample: { endpoint_id: 'inw_01K0000000000000000000000A', agent_id: ids.agent_id, places: 1, timeouts_in_row: 3 },
  },
  'inbound.recovered': {
    subscription: 'optional',
    description: 'The receiver of an inbound endpoint that hung has answered, no matter what: its places are back.',
    severities: ['info'],
    payload: z.object({ endpoint_id: z.string(), agent_id: z.string() }),
    sample: { endpoint_id: 'inw_01K0000000000000000000000A', agent_id: ids.agent_id },
  },
  'destination.slow': {
    subscription: 'optional',
    description:
      'A destination hangs: after three timeouts in a row deliveries to it have one place, after three more none for a minute at a time.',
    severities: ['warning'],
    payload: z.object({ destination_id: z.string(), ...share }),
    sample: { destination_id: 'dst_01K0000000000000000000000A', places: 1, timeouts_in_row: 3 },
  },
  'destination.recovered': {
    subscription: 'optional',
    description: 'A destination that hung has answered, no matter what: its places are back.',
    severities: ['info'],
    payload: z.object({ destination_id: z.string() }),
    sample: { destination_id: 'dst_01K0000000000000000000000A' },
  },
  'notification.test': {
    subscription: 'none',
    description: 'Somebody has sent a test to this destination.',
    severities: ['info'],
    payload: z.object({ destination_id: z.string() }),
    sample: { destination_id: 'dst_01K0000000000000000000000A' },
  },
  'destination.verification': {
    subscription: 'none',
    description:
      'A webhook was named or another code was requested: enter the code. It is no event of the feed; its `webhook-id` is `vcd_…`.',
    severities: ['info'],
    payload: z.object({ code: z.string(), destination_id: z.string(), expires_at: z.string() }),
    sample: {
      code: '123456',
      destination_id: 'dst_01K0000000000000000000000A',
      expires_at: '2026-11-21T12:25:00.000Z',
    },
  },
} as const satisfies Record<string, EventDefinition>;

export type EventType = keyof typeof eventDefinitions;

const subscribed = (...kinds: Subscription[]): EventType[] =>
  (Object.keys(eventDefinitions) as EventType[]).filter((type) => kinds.includes(eventDefinitions[type].subscription));

/** Those of a rule without `events`. */
export const standardEventTypes: readonly EventType[] = subscribed('standard');
export const optionalEventTypes: readonly EventType[] = subscribed('optional');

/** Those that people are mailed about; the SQL function brief_people() names them too, and a test compares the two. */
export type BriefedEventType = {
  [Type in EventType]: (typeof eventDefinitions)[Type]['subscription'] extends 'briefed' ? Type : never;
}[EventType];
const isBriefed = (type: EventType): type is BriefedEventType => eventDefinitions[type].subscription === 'briefed';
export const briefedEventTypes: readonly BriefedEventType[] = subscribed('briefed').filter(isBriefed);

const nameable = subscribed('standard', 'briefed', 'optional');
const families = [...new Set(nameable.map((type) => `${type.split('.')[0]}.*`))];

/** A rule can name these: a type, or all of a family by `<family>.*`. */
export const EventNameSchema = z.enum([...nameable, ...families]);

/** Lists of events and deliveries can be filtered by these: what a rule can name, and tests. */
export const EventFilterSchema = z.enum([...EventNameSchema.options, 'notification.test']).meta({
  description: 'A type of GET /v1/notifications/event-types, or all of a family, `invocation.*`.',
});

/** The types that a name stands for. */
export const eventTypesOf = (name: z.infer<typeof EventFilterSchema>): readonly string[] =>
  name.endsWith('.*') ? nameable.filter((type) => type.startsWith(name.slice(0, -1))) : [name];
