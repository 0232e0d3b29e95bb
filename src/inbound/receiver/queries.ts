import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { NamedForwards } from './returned-forward.ts';
import { InboundProviderSchema } from '../../fields/inbound-providers.ts';

const ReceiverRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  agent_id: z.string(),
  provider: InboundProviderSchema,
  revoked: z.boolean(),
  suspended: z.boolean(),
  secret: z.string(),
  old_secret: z.string().nullable(),
});
/** An endpoint as requests reach it. `old_secret` is null when its day is over. */
export type Receiver = z.infer<typeof ReceiverRow>;

export const findReceiver = (connection: CommonQueryMethods, slug: string): Promise<Receiver | null> =>
  connection.maybeOne(sql.type(ReceiverRow)`
    select e.id, e.operator_id, e.agent_id, e.provider, e.revoked_at is not null as revoked, o.suspended, e.secret,
      case when e.old_secret_until > clock_timestamp() then e.old_secret end as old_secret
    from inbound_endpoints e join operator_standings o on o.operator_id = e.operator_id where e.slug = ${slug}`);

/** A request of which nothing is kept. */
export async function countRejected(connection: CommonQueryMethods, endpointId: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update inbound_counters set rejected = rejected + 1 where endpoint_id = ${endpointId}`);
}

/** An event to be taken; hashes are SHA-256. */
export interface NewInboundEvent {
  endpointId: string;
  /** Its id, where it turns out to be new. */
  id: string;
  keyHash: Buffer;
  keyFrom: 'webhook_id' | 'token' | 'delivery' | 'event_id' | 'message_id' | 'body';
  bodyHash: Buffer;
  scheme: 'standard_webhooks' | 'hex' | 'mailgun';
  bodyAuthenticated: boolean;
  contentType: string | null;
  /** Bytes of the body. */
  size: number;
  /** Its content, sealed under `id`. */
  sealed: Buffer;
}

const TakenRow = z.object({ event_id: z.string(), taken: z.enum(['new', 'again', 'duplicate']) });
export type Taken = z.infer<typeof TakenRow>;

/** @throws the refusals of `receive_inbound_event`. */
export const takeInboundEvent = (connection: CommonQueryMethods, event: NewInboundEvent): Promise<Taken> =>
  connection.one(sql.type(TakenRow)`
    select event_id, taken from receive_inbound_event(${event.endpointId}, ${event.id}, ${sql.binary(event.keyHash)}, ${event.keyFrom},
      ${sql.binary(event.bodyHash)}, ${event.scheme}, ${event.bodyAuthenticated}, ${event.contentType}, ${event.size},
      ${sql.binary(event.sealed)})`);

/** Replaces the content of an event that is taken up again. */
export async function replaceContent(
  connection: CommonQueryMethods,
  { eventId, operatorId, sealed }: { eventId: string; operatorId: string; sealed: Buffer },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    insert into inbound_contents (event_id, operator_id, sealed) values (${eventId}, ${operatorId}, ${sql.binary(sealed)})
    on conflict (event_id) do update set sealed = excluded.sealed, stored_at = clock_timestamp()`);
}

/** The event that a request is the forward of; null: this service has forwarded none of these. */
export const findForwarded = (
  connection: CommonQueryMethods,
  { inHeader, inBody }: NamedForwards,
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ event_id: z.string() }))`
    select event_id from inbound_forwards
    where event_id = ${inHeader} or (event_id = ${inBody?.eventId ?? null} and endpoint_id = ${inBody?.endpointId ?? null}) limit 1`);
