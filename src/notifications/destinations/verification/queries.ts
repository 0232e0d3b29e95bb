import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { OperatorId, VerificationCodeId } from '../../../ids/ids.ts';
import type { Sending } from '../../../outbound/outcomes.ts';
import { ChannelTypeSchema } from '../../channels/kinds.ts';
import { verificationStatuses } from './schema.ts';

const Nothing = z.object({});

interface NewCode {
  id: VerificationCodeId;
  operatorId: OperatorId;
  destinationId: string;
  /** Its MAC. */
  address: string;
  /** Its MAC. */
  code: string;
  /** The code itself, sealed, for the life that sends it; null: a mail has it. */
  sealed: string | null;
  /** How long it is good for. */
  seconds: number;
}

/** @returns seconds to wait where it is too early for another code; 0: the code counts, and no other of the destination. */
export const storeVerificationCode = (
  connection: CommonQueryMethods,
  { id, operatorId, destinationId, address, code, sealed, seconds }: NewCode,
): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ wait: z.number() }))`
    select store_verification_code(${id}, ${operatorId}, ${destinationId}, ${address}, ${code}, ${sealed}, ${seconds}) as wait`);

/** The outcome of this mail is that of the code. */
export async function saveMailOfCode(connection: CommonQueryMethods, id: string, mailId: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update verification_codes set mail_id = ${mailId} where id = ${id}`);
}

const LastCode = z.object({ id: z.string(), code: z.string().nullable(), tries: z.number(), live: z.boolean() });

/** The code that was sent to a destination last; the destination is locked, so that guesses are judged in turn. */
export const findLastCode = (
  connection: CommonQueryMethods,
  destinationId: string,
): Promise<z.infer<typeof LastCode> | null> =>
  connection.maybeOne(sql.type(LastCode)`
    select id, code, tries, expires_at > clock_timestamp() as live from verification_codes
    where destination_id = ${destinationId} order by requested_at desc limit 1`);

export async function countWrongTry(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update verification_codes set tries = tries + 1 where id = ${id}`);
}

/** No code of the destination fits any more. The rows stay, since they count the codes that were sent. */
export async function useUpCodes(connection: CommonQueryMethods, destinationId: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update verification_codes set code = null where destination_id = ${destinationId} and code is not null`);
}

const StepRow = z.object({ status: z.enum(verificationStatuses), open: z.boolean(), wait_ms: z.number().nullable() });

export const advanceVerificationRow = (connection: CommonQueryMethods, id: string): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select status, open, wait_ms from advance_verification(${id})`);

const WaitingRow = z.object({
  sealed: z.string(),
  expires_at: z.string(),
  requested_at: z.string(),
  destination_id: z.string(),
  channel_type: ChannelTypeSchema,
  address: z.string(),
  secret: z.string().nullable(),
  old_secret: z.string().nullable(),
});

export type WaitingCode = z.infer<typeof WaitingRow>;

/** A code that is still to be sent, with where to; null where it is sent, or its time is over. */
export const findWaitingCode = (connection: CommonQueryMethods, id: string): Promise<WaitingCode | null> =>
  connection.maybeOne(sql.type(WaitingRow)`
    select c.sealed, c.expires_at, c.requested_at, c.destination_id, d.channel_type, d.address, d.secret,
      case when d.old_secret_until > clock_timestamp() then d.old_secret end as old_secret
    from verification_codes c join destinations d on d.id = c.destination_id
    where c.id = ${id} and c.status = 'waiting' and c.expires_at > clock_timestamp()`);

/** The caller that gets true makes the one call there is; false: it was begun before, is not to be sent any more, or waits for its turn. */
export const startVerification = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ started: z.boolean() }))`select start_verification(${id}) as started`);

const STATUS = { delivered: 'sent', refused: 'failed', failed: 'failed', unknown: 'unknown' } as const;

/** @returns how many lives of other codes were woken, which may be sent now */
export const settleVerification = (
  connection: CommonQueryMethods,
  id: string,
  { status, reason, error }: Sending,
): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ woken: z.number() }))`
    select settle_verification(${id}, ${STATUS[status]}, ${reason}, ${error}) as woken`);

const DescribedRow = z.object({ id: z.string(), operator_id: z.string(), destination_id: z.string() });

export const describeVerificationRows = (
  connection: CommonQueryMethods,
  ids: string[],
): Promise<readonly z.infer<typeof DescribedRow>[]> =>
  connection.any(sql.type(DescribedRow)`
    select id, operator_id, destination_id from verification_codes where id = any(${textArray(ids)})`);

/** Deletes codes that no limit counts any more. @returns whether there may be more. */
export const purgeVerificationCodes = async (connection: CommonQueryMethods): Promise<boolean> =>
  (await connection.oneFirst(
    sql.type(z.object({ purged: z.number() }))`select purge_verification_codes() as purged`,
  )) >= 1_000;
