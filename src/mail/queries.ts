import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { OutboxMessage } from './schema.ts';

const Nothing = z.object({});

interface NewMail {
  id: string;
  to: string;
  subject: string;
  /** Sealed. */
  text: string;
  /** `outbox`: it stays here. `waiting`: a life sends it. */
  status: 'outbox' | 'waiting';
  /** How long it is worth sending. */
  seconds: number;
  /** False: the same statement runs and inserts nothing. */
  wanted: boolean;
  /** The destination or member that can end such mails by a link; null: nobody can. */
  unsubscribe: string | null;
}

export async function insertMail(connection: CommonQueryMethods, mail: NewMail): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into mails (id, recipient, subject, text, status, expires_at, unsubscribe)
    select ${mail.id}, ${mail.to}, ${mail.subject}, ${mail.text}, ${mail.status},
      clock_timestamp() + make_interval(secs => ${mail.seconds}), ${mail.unsubscribe}
    where ${mail.wanted}::boolean`);
}

/** Keeps what has no life: there is nobody who would send it. @param text sealed */
export async function insertOutboxMessage(
  connection: CommonQueryMethods,
  { id, channel, to, subject, text }: { id: string; text: string } & Omit<OutboxMessage, 'id' | 'text' | 'created_at'>,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into mails (id, channel, recipient, subject, text, status, expires_at)
    values (${id}, ${channel}, ${to}, ${subject}, ${text}, 'outbox', clock_timestamp() + interval '7 days')`);
}

const OutboxRow = z.object({
  id: z.string(),
  channel: z.enum(['email', 'sms']),
  recipient: z.string(),
  subject: z.string().nullable(),
  text: z.string(),
  created_at: z.string(),
});
type OutboxRow = z.infer<typeof OutboxRow>;

const inOutbox = (to: string | undefined) =>
  to === undefined
    ? sql.fragment`status = 'outbox'`
    : sql.fragment`status = 'outbox' and lower(recipient) = lower(${to})`;

/** Newest first. @param to upper and lower case are the same; undefined: all recipients. */
export const listOutbox = (
  connection: CommonQueryMethods,
  { to, limit, offset }: { to: string | undefined; limit: number; offset: number },
): Promise<readonly OutboxRow[]> =>
  connection.any(sql.type(OutboxRow)`
    select id, channel, recipient, subject, text, created_at from mails
    where ${inOutbox(to)} order by id desc limit ${limit} offset ${offset}`);

export const countOutbox = (connection: CommonQueryMethods, to: string | undefined): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from mails where ${inOutbox(to)}`);

const WaitingRow = z.object({
  recipient: z.string(),
  subject: z.string(),
  text: z.string(),
  unsubscribe: z.string().nullable(),
});
type WaitingRow = z.infer<typeof WaitingRow>;

/** A mail that is still to be sent; null where it was sent or its time is over. */
export const findWaitingMail = (connection: CommonQueryMethods, id: string): Promise<WaitingRow | null> =>
  connection.maybeOne(sql.type(WaitingRow)`
    select recipient, subject, text, unsubscribe from mails where id = ${id} and status = 'waiting' and expires_at > clock_timestamp()`);

/** The caller that gets true makes the one call there is; false: it was begun before, or the mail is not wanted any more. */
export const beginMail = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ begun: z.boolean() }))`select begin_mail(${id}) as begun`);

/** Ends a mail and deletes its text; a call that came back after all says more than that it was lost. */
export async function settleMail(
  connection: CommonQueryMethods,
  id: string,
  status: 'sent' | 'refused' | 'unknown',
): Promise<void> {
  await connection.query(
    sql.type(
      Nothing,
    )`update mails set status = ${status}, text = null where id = ${id} and status in ('waiting', 'unknown')`,
  );
}

/** The mail server did not take it: it may be called again. */
export async function putOffMail(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update mails set sending_at = null where id = ${id} and status = 'waiting'`);
}

const StepRow = z.object({
  status: z.enum(['outbox', 'waiting', 'sent', 'refused', 'unknown', 'expired', 'gone']),
  open: z.boolean(),
  wait_ms: z.number().nullable(),
  expires_at: z.string().nullable(),
});

export const advanceMailRow = (connection: CommonQueryMethods, id: string): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_mail(${id})`);

const DescribedRow = z.object({ id: z.string(), expires_at: z.string() });

export const describeMailRows = (
  connection: CommonQueryMethods,
  ids: string[],
): Promise<readonly z.infer<typeof DescribedRow>[]> =>
  connection.any(sql.type(DescribedRow)`select id, expires_at from mails where id = any(${textArray(ids)})`);

/** Deletes mails a week old. @returns whether there may be more. */
export const purgeMails = async (connection: CommonQueryMethods): Promise<boolean> =>
  (await connection.oneFirst(sql.type(z.object({ purged: z.number() }))`select purge_mails() as purged`)) >= 1_000;
