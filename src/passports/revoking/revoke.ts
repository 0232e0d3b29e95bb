import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runHotCommand } from '../../commands/hot.ts';
import type { CommandEffects } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { json } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { commandArguments } from '../command-arguments.ts';
import { RevokedManySchema, RevokedSchema, type RevokeBody, type Revoked, type RevokedMany } from '../schema.ts';

/**
 * Most passports that other processes are notified of one by one; beyond it the notice is that anything may have
 * changed.
 */
const MAX_NOTIFIED = 1_000;

/** The row that revoke_passport() and revoke_passports() return (type passport_revocation_answer). */
const AnswerRow = z.object({ replayed: z.boolean(), body: json, revoked: z.array(z.string()), messages: z.number() });

/**
 * Revokes a passport, all that it was refreshed from or into and all that was delegated from any of them. After the
 * answer none of them verifies. A passport that is revoked or expired already is no error: 0 are counted.
 * @throws CarnetError NOT_FOUND
 */
export const revokePassport = (
  context: Context,
  call: CommandCall,
  { jti, reason }: RevokeBody,
): Promise<Answered<Revoked>> =>
  revoke(context, call, {
    reply: RevokedSchema,
    statement: sql.type(AnswerRow)`
      select * from revoke_passport(${commandArguments(call)}, p_jti => ${jti}, p_reason => ${reason})`,
  });

/** Names what is revoked together; `id` is the id of the agent, of the session or of the calling operator. */
export interface RevocationScope {
  scope: 'agent' | 'session' | 'operator';
  id: string;
  reason: string;
}

/**
 * Revokes all active passports of a scope. An id that is unknown, or of another operator, is no error: 0 are counted.
 */
export const revokePassports = (
  context: Context,
  call: CommandCall,
  { scope, id, reason }: RevocationScope,
): Promise<Answered<RevokedMany>> =>
  revoke(context, call, {
    reply: RevokedManySchema,
    statement: sql.type(AnswerRow)`
      select * from revoke_passports(${commandArguments(call)}, p_scope => ${scope}, p_id => ${id}, p_reason => ${reason})`,
  });

/** @throws CarnetError CONFIRMATION_REQUIRED */
export async function revokeAllPassports(
  context: Context,
  call: CommandCall,
  { confirm, reason }: { confirm?: unknown; reason: string },
): Promise<Answered<RevokedMany>> {
  if (confirm !== true) {
    throw new CarnetError(
      'CONFIRMATION_REQUIRED',
      'This revokes every active passport of the operator; send "confirm": true.',
      {
        errors: [{ path: 'confirm', code: 'confirmation_required', message: 'must be true' }],
      },
    );
  }
  return await revokePassports(context, call, { scope: 'operator', id: call.caller.operatorId, reason });
}

async function revoke<Body>(
  context: Context,
  call: CommandCall,
  { reply, statement }: { reply: z.ZodType<Body>; statement: QuerySqlToken<typeof AnswerRow> },
): Promise<Answered<Body>> {
  const { body, replayed } = await runHotCommand(context, call, { query: statement, effects });
  return { status: 200, body: reply.parse(body), replayed };
}

const effects = ({ revoked, messages }: z.output<typeof AnswerRow>): CommandEffects => ({
  changed: revoked.length > MAX_NOTIFIED ? ['*'] : revoked,
  messages,
});
