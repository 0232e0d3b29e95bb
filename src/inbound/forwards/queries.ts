import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { newId } from '../../ids/ids.ts';

const AuthorisedRow = z.object({ id: z.string(), forward_url: z.string(), secret: z.string() });
export type AuthorisedForward = z.infer<typeof AuthorisedRow>;

/** The leave to make one call; null: there is nothing to send. */
export const authoriseForward = (
  connection: CommonQueryMethods,
  eventId: string,
  attempt: number,
): Promise<AuthorisedForward | null> =>
  connection.maybeOne(sql.type(AuthorisedRow)`
    select id, forward_url, secret from authorise_forward(${eventId}, ${attempt}, ${newId('ifw')})`);

/** The outcome of a call. */
export interface ForwardOutcome {
  /** `unknown`: it may have arrived; `refused`: the address may not be called, and nothing was sent. */
  status: 'forwarded' | 'failed' | 'unknown' | 'refused';
  /** A word; null where it was forwarded. */
  reason: string | null;
  /** The status of a receiver that answered. */
  statusCode: number | null;
  /** A sentence; null where it was forwarded. */
  error: string | null;
  latencyMs: number;
}

export async function settleForward(
  connection: CommonQueryMethods,
  id: string,
  { status, reason, statusCode, error, latencyMs }: ForwardOutcome,
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    select settle_inbound_forward(${id}, ${status}, ${reason}, ${statusCode}, ${error}, ${latencyMs})`);
}
