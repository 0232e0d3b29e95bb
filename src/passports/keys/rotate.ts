import { z } from 'zod';
import { actorName } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { listSigningKeys, rotate, type SigningKeyRow } from './queries.ts';
import { newSigningKey } from './signing-key.ts';
import { activeKey, SIGNING_KEYS_CHANGED } from './signing-keys.ts';

/** Days after which the schedule rotates the active key (decision A37). */
const ROTATION_DAYS = 90;

export const RotateBodySchema = z
  .strictObject({
    immediate: z
      .boolean()
      .default(false)
      .meta({ description: 'Withdraw the active key: whatever it has signed is refused from now on' }),
  })
  .meta({ id: 'RotateSigningKeys' });

export const SigningKeysSchema = z
  .object({
    active: z.string(),
    next: z.string(),
    retired: z.array(z.string()).meta({ description: 'No longer signing; their passports count until they expire' }),
    withdrawn: z.array(z.string()).meta({ description: 'Their passports no longer count' }),
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
 * The next key signs from the commit on. The previous key retires, and its passports count until they expire; with
 * `immediate` it is withdrawn, and every process refuses its passports from the next verify on.
 */
export async function rotateSigningKeys(
  context: Context,
  call: CommandCall,
  { immediate }: z.infer<typeof RotateBodySchema>,
): Promise<Answered<SigningKeysView>> {
  await activeKey(context);
  const key = newSigningKey(context.encryption);
  return await runCommand(context, call, async (unit) => {
    const by = { actor: actorName(call.caller), requestId: call.requestId };
    await rotate(unit.connection, { immediate, olderThanDays: null, key, by });
    unit.changed(SIGNING_KEYS_CHANGED);
    return { status: 200, body: viewOf(await listSigningKeys(unit.connection)) };
  });
}

/**
 * Rotates by schedule. It does nothing while the active key is younger than 90 days, so several runs rotate once.
 */
export async function rotateSigningKeysWhenDue(context: Context): Promise<{ rotated: boolean }> {
  await activeKey(context);
  const stopped = await rotate(context.pool, {
    immediate: false,
    olderThanDays: ROTATION_DAYS,
    key: newSigningKey(context.encryption),
    by: { actor: 'schedule', requestId: null },
  });
  if (stopped !== null) context.rowEvents.changed(SIGNING_KEYS_CHANGED);
  return { rotated: stopped !== null };
}

function viewOf(rows: readonly SigningKeyRow[]): SigningKeysView {
  const kids = (status: SigningKeyRow['status']): string[] =>
    rows.filter((row) => row.status === status && (row.counts || status === 'withdrawn')).map(({ kid }) => kid);
  const [active = '', next = ''] = [...kids('active'), ...kids('next')];
  return { active, next, retired: kids('retired'), withdrawn: kids('withdrawn') };
}
