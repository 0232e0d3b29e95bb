import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import {
  EventStatusSchema,
  HeldEventSchema,
  InboundEventSchema,
  VerdictSchema,
  type EventFilter,
  type HeldEvent,
  type InboundEvent,
} from './schema.ts';
import { InboundProviderSchema } from '../../fields/inbound-providers.ts';

const StateRow = z.object({
  status: EventStatusSchema,
  ended: z.boolean(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  verdict: VerdictSchema.nullable(),
});
export type EventState = z.infer<typeof StateRow>;

const verdictColumn = sql.fragment`
  case when verdict is not null then jsonb_build_object('verdict', verdict, 'severity', severity, 'findings', findings) end`;

/** How an event stands that is known to be there. */
export const findEventState = (connection: CommonQueryMethods, id: string): Promise<EventState> =>
  connection.one(sql.type(StateRow)`
    select status, ended_at is not null as ended, reason, error, ${verdictColumn} as verdict from inbound_events where id = ${id}`);

const eventColumns = sql.fragment`
  v.id, v.endpoint_id, v.agent_id, v.provider, v.status, v.reason, v.error, v.attempt, ${verdictColumn} as verdict, harmless_findings(v.findings, v.harmless) as harmless, v.claim_ids,
  v.classification, v.scheme, v.body_authenticated, encode(v.body_hash, 'hex') as body_sha256, v.size,
  exists (select from inbound_contents c where c.event_id = v.id) as content_kept,
  coalesce((select jsonb_agg(jsonb_build_object('id', f.id, 'attempt', f.attempt, 'status', f.status, 'reason', f.reason,
      'status_code', f.status_code, 'error', f.error, 'latency_ms', f.latency_ms, 'started_at', iso_time(f.started_at),
      'ended_at', iso_time(f.ended_at)) order by f.attempt)
    from inbound_forwards f where f.event_id = v.id), '[]') as forwards,
  iso_time(v.received_at) as received_at, iso_time(v.scanned_at) as scanned_at, iso_time(v.ended_at) as ended_at`;

/** An event of an endpoint that belongs to the operator; null where there is none. */
export const findEvent = (
  connection: CommonQueryMethods,
  { operatorId, endpointId, id }: { operatorId: string; endpointId: string; id: string },
): Promise<InboundEvent | null> =>
  connection.maybeOne(sql.type(InboundEventSchema)`
    select ${eventColumns} from inbound_events v
    where v.id = ${id} and v.endpoint_id = ${endpointId} and v.operator_id = ${operatorId}`);

/** The endpoint that an event of the operator came to; null where there is no such event. */
export const findEndpointOfEvent = (
  connection: CommonQueryMethods,
  { operatorId, id }: { operatorId: string; id: string },
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ endpoint_id: z.string() }))`
    select endpoint_id from inbound_events where id = ${id} and operator_id = ${operatorId}`);

interface EventPage {
  endpointId: string;
  filter: EventFilter;
  limit: number;
  /** The id behind which the page begins; null: the newest. */
  before: string | null;
}

/** Newest first. */
export const listEvents = (
  connection: CommonQueryMethods,
  { endpointId, filter: { status, verdict, detector_key: detector, since, until }, limit, before }: EventPage,
): Promise<readonly InboundEvent[]> =>
  connection.any(sql.type(InboundEventSchema)`
    select ${eventColumns} from inbound_events v
    where v.endpoint_id = ${endpointId}
      and ${before === null ? sql.fragment`true` : sql.fragment`v.id < ${before}`}
      and ${status === undefined ? sql.fragment`true` : sql.fragment`v.status = ${status}`}
      and ${verdict === undefined ? sql.fragment`true` : sql.fragment`v.verdict = ${verdict}`}
      and ${detector === undefined ? sql.fragment`true` : sql.fragment`v.findings @> jsonb_build_array(jsonb_build_object('detector_key', ${detector}::text))`}
      and ${since === undefined ? sql.fragment`true` : sql.fragment`v.received_at >= ${since}::timestamptz`}
      and ${until === undefined ? sql.fragment`true` : sql.fragment`v.received_at < ${until}::timestamptz`}
    order by v.id desc limit ${limit}`);

/** The events of all endpoints that are held, newest first. @param before the id behind which the page begins; null: the newest */
export const listHeld = (
  connection: CommonQueryMethods,
  { operatorId, limit, before }: { operatorId: string; limit: number; before: string | null },
): Promise<readonly HeldEvent[]> =>
  connection.any(sql.type(HeldEventSchema)`
    select ${eventColumns}, e.name as endpoint_name from inbound_events v join inbound_endpoints e on e.id = v.endpoint_id
    where v.operator_id = ${operatorId} and v.status = 'blocked'
      and ${before === null ? sql.fragment`true` : sql.fragment`v.id < ${before}`}
    order by v.id desc limit ${limit}`);

const EncryptedContent = z.object({ event_id: z.string(), sealed: z.instanceof(Buffer) });

/** The contents of events of the operator that are kept. */
export const findContents = (
  connection: CommonQueryMethods,
  { operatorId, ids }: { operatorId: string; ids: string[] },
): Promise<readonly z.infer<typeof EncryptedContent>[]> =>
  connection.any(sql.type(EncryptedContent)`
    select event_id, sealed from inbound_contents where event_id = any(${textArray(ids)}) and operator_id = ${operatorId}`);

const ContentRow = z.object({
  provider: InboundProviderSchema,
  attempt: z.number(),
  verdict: VerdictSchema.nullable(),
  sealed: z.instanceof(Buffer).nullable(),
});

/** Reads the content of an event, for a person of the operator; null where there is no such event. */
export const findContent = (
  connection: CommonQueryMethods,
  { operatorId, endpointId, id }: { operatorId: string; endpointId: string; id: string },
): Promise<z.infer<typeof ContentRow> | null> =>
  connection.maybeOne(sql.type(ContentRow)`
    select v.provider, v.attempt, ${verdictColumn} as verdict, c.sealed
    from inbound_events v left join inbound_contents c on c.event_id = v.id
    where v.id = ${id} and v.endpoint_id = ${endpointId} and v.operator_id = ${operatorId}`);

const StandingRow = z.object({
  id: z.string(),
  agent_id: z.string(),
  status: EventStatusSchema,
  attempt: z.number(),
  verdict: VerdictSchema.nullable(),
  body_sha256: z.string(),
  ended: z.boolean(),
  revoked: z.boolean(),
  content_kept: z.boolean(),
  forward_url: z.string().nullable(),
  block_at: z.enum(['low', 'medium', 'high', 'critical']),
  mode: z.enum(['enforce', 'shadow']),
});
export type EventStanding = z.infer<typeof StandingRow>;

/** An event with what a change of it depends on, locked until the transaction ends. */
export const lockEvent = (
  connection: CommonQueryMethods,
  { operatorId, endpointId, id }: { operatorId: string; endpointId: string; id: string },
): Promise<EventStanding | null> =>
  connection.maybeOne(sql.type(StandingRow)`
    select v.id, v.agent_id, v.status, v.attempt, ${verdictColumn} as verdict, encode(v.body_hash, 'hex') as body_sha256,
      v.ended_at is not null as ended, e.revoked_at is not null as revoked,
      exists (select from inbound_contents c where c.event_id = v.id) as content_kept, e.forward_url, e.block_at, e.mode
    from inbound_endpoints e join inbound_events v on v.endpoint_id = e.id
    where v.id = ${id} and e.id = ${endpointId} and e.operator_id = ${operatorId} for no key update of v`);

export async function beginAttempt(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`select begin_inbound_attempt(${id})`);
}

/** The event has such a finding, and the caller holds it. */
export async function markHarmless(connection: CommonQueryMethods, id: string, finding: number): Promise<void> {
  await connection.query(sql.type(z.object({}))`select mark_inbound_harmless(${id}, ${finding})`);
}

const StepRow = z.object({
  status: z.enum(['scan', 'classify', 'forward', 'turn', 'calls', 'ended', 'gone']),
  attempt: z.number(),
  wait_ms: z.number().nullable(),
});
export type InboundStepRow = z.infer<typeof StepRow>;

export const advanceInboundRow = (connection: CommonQueryMethods, id: string): Promise<InboundStepRow> =>
  connection.one(sql.type(StepRow)`select status, attempt, wait_ms from advance_inbound(${id})`);

const EncryptedRow = z.object({
  provider: InboundProviderSchema,
  endpoint_id: z.string(),
  operator_id: z.string(),
  agent_id: z.string(),
  body_authenticated: z.boolean(),
  received_at: z.string(),
  verdict: VerdictSchema.nullable(),
  sealed: z.instanceof(Buffer).nullable(),
});
export type EncryptedEvent = z.infer<typeof EncryptedRow>;

/** An event with what it came as, still sealed; null once it is purged. */
export const findEncryptedEvent = (connection: CommonQueryMethods, id: string): Promise<EncryptedEvent> =>
  connection.one(sql.type(EncryptedRow)`
    select v.provider, v.endpoint_id, v.operator_id, v.agent_id, v.body_authenticated, iso_time(v.received_at) as received_at, ${verdictColumn} as verdict, c.sealed
    from inbound_events v left join inbound_contents c on c.event_id = v.id where v.id = ${id}`);

interface RecordedVerdict extends z.infer<typeof VerdictSchema> {
  id: string;
  attempt: number;
  /** Whether a model is asked about what is undecided. */
  classify: boolean;
}

/** @returns whether this is the verdict of the attempt; false: another was there first. */
export const recordVerdict = (
  connection: CommonQueryMethods,
  { id, attempt, verdict, severity, findings, classify }: RecordedVerdict,
): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ recorded: z.boolean() }))`
    select record_inbound_verdict(${id}, ${attempt}, ${verdict}, ${severity}, ${JSON.stringify(findings)}, ${classify}) as recorded`);

export async function failEvent(
  connection: CommonQueryMethods,
  id: string,
  { attempt, reason, error }: { attempt: number; reason: string; error: string },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`select fail_inbound_event(${id}, ${attempt}, ${reason}, ${error})`);
}

/** Holds an attempt whose verdict is recorded. */
export async function holdUnscannedEvent(
  connection: CommonQueryMethods,
  { id, attempt, error }: { id: string; attempt: number; error: string },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`select hold_unscanned_event(${id}, ${attempt}, ${error})`);
}

const DescribedRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  agent_id: z.string(),
  endpoint_id: z.string(),
});

export const describeInboundRows = (
  connection: CommonQueryMethods,
  ids: string[],
): Promise<readonly z.infer<typeof DescribedRow>[]> =>
  connection.any(sql.type(DescribedRow)`
    select id, operator_id, agent_id, endpoint_id from inbound_events where id = any(${textArray(ids)})`);

const AttemptRow = z.object({ attempt: z.number() });

export const attemptOf = (connection: CommonQueryMethods, id: string): Promise<number> =>
  connection.oneFirst(sql.type(AttemptRow)`select attempt from inbound_events where id = ${id}`);
