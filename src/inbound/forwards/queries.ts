import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { newId } from '../../ids/ids.ts';
import type { Sending } from '../../outbound/outcomes.ts';

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

export type ForwardOutcome = Sending & { latencyMs: number };

const STATUS = { delivered: 'forwarded', refused: 'refused', failed: 'failed', unknown: 'unknown' } as const;

export async function settleForward(
  connection: CommonQueryMethods,
  id: string,
  { status, reason, statusCode, error, latencyMs }: ForwardOutcome,
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    select settle_inbound_forward(${id}, ${STATUS[status]}, ${reason}, ${statusCode}, ${error}, ${latencyMs})`);
}
