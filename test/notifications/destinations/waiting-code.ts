import { z } from 'zod';
import { ensureOperator } from '../../../src/accounts/index.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import type { ChannelType } from '../../../src/notifications/channels/kinds.ts';
import { createDestination } from '../../../src/notifications/destinations/create.ts';
import { callOf } from '../../invocations/own-context.ts';
import { unique } from '../../support/factories.ts';

const CodeRow = z.object({
  status: z.enum(['waiting', 'sending', 'sent', 'failed', 'unknown']),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  sealed: z.string().nullable(),
});

/** A destination of an operator, a new one where none is named, whose code is left to its life. */
export async function waitingCode(
  { context }: { context: Context },
  { channel, address, operatorId: by }: { channel: ChannelType; address: string; operatorId?: string },
): Promise<{ codeId: string; destinationId: string; operatorId: string; secret: string }> {
  const name = unique('watched');
  const operatorId = by ?? (await ensureOperator(context, { name, email: `${name}@example.test`, tier: 'pro' }));
  const { body } = await createDestination(context, callOf(operatorId, 'createDestination'), {
    channel_type: channel,
    destination: address,
  });
  const codeId = await context.pool.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from verification_codes where destination_id = ${body.id}`);
  return { codeId, destinationId: body.id, operatorId, secret: body.webhook_secret ?? '' };
}

/** The outcome of a code. */
export const codeRow = ({ pool }: Context, codeId: string): Promise<z.infer<typeof CodeRow>> =>
  pool.one(sql.type(CodeRow)`select status, reason, error, sealed from verification_codes where id = ${codeId}`);
