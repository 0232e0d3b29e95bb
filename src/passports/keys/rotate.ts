import { z } from 'zod';
import { actorName } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import { noteSchedule } from '../../commands/schedules.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { listSigningKeys, rotate, type SigningKeyRow } from './queries.ts';
import { newSigningKey } from './signing-key.ts';
import { activeKey, SIGNING_KEYS_CHANGED } from './signing-keys.ts';

/** Days after which the schedule rotates the active key. */
const ROTATION_DAYS = 90;

/** Most kids of one call; the schedule makes four keys a year. */
const MAX_KIDS = 100;

export const RotateBodySchema = z
  .strictObject({
    immediate: z
      .boolean()
      .default(false)
      .meta({ description: 'Withdraw the active key: everything that it has signed is refused from now on' }),
    kids: z
      .array(z.string())
      .min(1)
      .max(MAX_KIDS)
      .optional()
      .meta({ description: 'Withdraw these keys, retired ones too; the active key signs on unless it is one of them' }),
    all: z.boolean().default(false).meta({ description: 'Withdraw every key that there is' }),
  })
  .refine(({ immediate, kids, all }) => Number(immediate) + Number(kids !== undefined) + Number(all) <= 1, {
    path: ['kids'],
    message: 'only one of immediate, kids and all says which keys are withdrawn',
  })
  .meta({ id: 'RotateSigningKeys' });
type RotateBody = z.infer<typeof RotateBodySchema>;

export const SigningKeysSchema = z
  .object({
    active: z.string(),
    next: z.string(),
    retired: z.array(z.string()).meta({ description: 'No longer signing; their passports count until they expire' }),
    withdrawn: z.array(z.string()).meta({ description: 'Their passports are revoked' }),
  })
  .meta({
    id: 'SigningKeys',
    description: 'The keys of the service by status, each by its thumbprint (RFC 7638).',
    examples: [
      {
        active: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
        next: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
        retired: ['NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'],
        withdrawn: [],
      },
    ],
  });
type SigningKeysView = z.infer<typeof SigningKeysSchema>;

/**
 * The next key signs from the commit on. The previous key retires, and its passports count until they expire. Keys that are
 * withdrawn count no more: every process refuses their passports from the next verify on, and the rows of these are revoked.
 * @throws CarnetError VALIDATION_ERROR for a kid that is none of ours
 */
export async function rotateSigningKeys(
  context: Context,
  call: CommandCall,
  body: RotateBody,
): Promise<Answered<SigningKeysView>> {
  await activeKey(context);
  const keys = [newSigningKey(context.encryption), newSigningKey(context.encryption)];
  return await runCommand(context, call, async (unit) => {
    const by = { actor: actorName(call.caller), requestId: call.requestId };
    const withdraw = toWithdraw(body, await listSigningKeys(unit.connection));
    await rotate(unit.connection, { withdraw, olderThanDays: null, keys, by });
    // Anything of passports may have changed where a key is withdrawn.
    unit.changed(SIGNING_KEYS_CHANGED, ...(withdraw === null ? [] : ['*']));
    return { status: 200, body: viewOf(await listSigningKeys(unit.connection)) };
  });
}

/** The kids that the body names, by themselves or by what they are now; null: none is withdrawn. */
function toWithdraw({ immediate, kids, all }: RotateBody, rows: readonly SigningKeyRow[]): string[] | null {
  if (kids !== undefined) {
    const unknown = kids.findIndex((kid) => rows.every((row) => row.kid !== kid));
    if (unknown >= 0) throw unknownKid(`kids.${unknown}`);
    return kids;
  }
  if (all) return rows.map(({ kid }) => kid);
  return immediate ? rows.filter(({ status }) => status === 'active').map(({ kid }) => kid) : null;
}

const unknownKid = (path: string): CarnetError =>
  new CarnetError('VALIDATION_ERROR', `${path}: is no signing key of this service.`, {
    errors: [{ path, code: 'invalid_reference', message: 'is no signing key of this service' }],
  });

/**
 * Rotates by schedule. It does nothing while the active key is younger than 90 days, so several runs rotate once.
 */
export async function rotateSigningKeysWhenDue(context: Context): Promise<{ rotated: boolean }> {
  await activeKey(context);
  const stopped = await rotate(context.pool, {
    withdraw: null,
    olderThanDays: ROTATION_DAYS,
    keys: [newSigningKey(context.encryption)],
    by: { actor: 'schedule', requestId: null },
  });
  if (stopped !== null) context.rowEvents.changed(SIGNING_KEYS_CHANGED);
  await noteSchedule(context.pool, 'key-rotation');
  return { rotated: stopped !== null };
}

/** The keys as they are, for people of the platform. */
export async function showSigningKeys(context: Context): Promise<SigningKeysView> {
  await activeKey(context);
  return viewOf(await listSigningKeys(context.pool));
}

function viewOf(rows: readonly SigningKeyRow[]): SigningKeysView {
  const kids = (status: SigningKeyRow['status']): string[] =>
    rows.filter((row) => row.status === status && (row.counts || status === 'withdrawn')).map(({ kid }) => kid);
  const [active = '', next = ''] = [...kids('active'), ...kids('next')];
  return { active, next, retired: kids('retired'), withdrawn: kids('withdrawn') };
}
