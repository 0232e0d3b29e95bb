import { credentialName, type Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { Governed } from '../../context/ports.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { PLATFORM_OPERATOR_ID } from '../../ids/ids.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import { actToOutlive } from '../outlive.ts';
import { findOperator, lockOperator, replaceKeys, saveOperator } from './queries.ts';
import type { AdministerOperator, Operator, UpdateOperator } from './schema.ts';

/** @throws CarnetError NOT_FOUND */
export const readOwnOperator = (context: Context, { operatorId }: Caller): Promise<Operator> =>
  readOperator(context, operatorId);

/** Any operator, for the platform. @throws CarnetError NOT_FOUND */
export async function readOperator({ pool }: Context, id: string): Promise<Operator> {
  const operator = await findOperator(pool, id);
  assertThat(operator, () => notFound('operator'));
  return operator;
}

/** @throws CarnetError NOT_FOUND; for a change of the payout account, letting passports invoke, and another public key by a credential that ends, also NOT_OWNER, GOVERNANCE_APPROVAL_REQUIRED. */
export const updateOwnOperator = (
  context: Context,
  call: CommandCall,
  patch: UpdateOperator,
): Promise<Answered<Operator>> =>
  runCommand(context, call, async (unit) => {
    const { payout_account: payoutAccount, public_jwks: jwks } = patch;
    const before = await lockOperator(unit.connection, call.caller.operatorId);
    assertThat(before, () => notFound('operator'));
    const governed = await governedChange(unit.connection, call.caller, { before, patch });
    const refused = governed === null ? null : await context.requireApproval(unit, call, governed);
    if (refused !== null) return refused;
    if (jwks !== undefined) await replaceKeys(unit.connection, before.id, jwks);
    const operator = await saveOperator(unit.connection, {
      ...before,
      name: patch.name ?? before.name,
      email: patch.email ?? before.email,
      payout_account: payoutAccount === undefined ? before.payout_account : payoutAccount,
      low_balance_cents: patch.low_balance_cents === undefined ? before.low_balance_cents : patch.low_balance_cents,
      passports_may_invoke: patch.passports_may_invoke ?? before.passports_may_invoke,
    });
    await unit.audit('operator.updated', operator.id, {
      changed: Object.keys(patch),
      ...(payoutAccount !== undefined && { payout_account: payoutAccount }),
      ...(jwks !== undefined && { key_thumbprints: jwks.map(({ x }) => thumbprintOf(x)) }),
    });
    if (operator.email !== before.email) {
      await context.recordEvent(unit.connection, {
        operatorId: operator.id,
        type: 'operator.address_changed',
        severity: 'warning',
        payload: { changed_by: credentialName(call.caller) },
      });
    }
    unit.changed(operator.id);
    return { status: 200, body: operator };
  });

/**
 * Names the act that a person has to decide about a change, the act of an owner first: one approval stands for the whole request, so each governed
 * part that the request names is its subject, whichever is the act. null: a key may.
 */
async function governedChange(
  connection: CommonQueryMethods,
  caller: Caller,
  { before, patch }: { before: Operator; patch: UpdateOperator },
): Promise<Governed | null> {
  const subject = {
    ...(patch.payout_account !== undefined && { payout_account: before.payout_account }),
    ...(patch.public_jwks && { public_jwks: before.public_jwks }),
    ...(patch.passports_may_invoke === true && { passports_may_invoke: before.passports_may_invoke }),
  };
  if (patch.payout_account !== undefined) return { act: 'operator.payout_account_changed', subject };
  if (patch.passports_may_invoke === true && !before.passports_may_invoke)
    return { act: 'operator.passports_may_invoke', subject };
  const known = new Set(before.public_jwks.map(({ x }) => x));
  if (patch.public_jwks?.every(({ x }) => known.has(x)) ?? true) return null;
  const act = await actToOutlive(connection, caller, { act: 'operator_public_key.outlives_maker', end: null });
  return act && { act, subject };
}

/**
 * Tier, suspension and commission, by platform administration. Suspending revokes every active passport.
 * @throws CarnetError NOT_FOUND; INVALID_STATE for suspending the platform itself.
 */
export const administerOperator = (
  context: Context,
  call: CommandCall,
  { operatorId, patch }: { operatorId: string; patch: AdministerOperator },
): Promise<Answered<Operator>> =>
  runCommand(context, call, async (unit) => {
    if (patch.status === 'suspended') await context.passportRevocation.lock(unit.connection, operatorId);
    const before = await lockOperator(unit.connection, operatorId);
    assertThat(before, () => notFound('operator'));
    assertThat(
      patch.status !== 'suspended' || before.id !== PLATFORM_OPERATOR_ID,
      () => new CarnetError('INVALID_STATE', 'The platform operator cannot be suspended: nobody could lift it again.'),
    );
    const operator = await saveOperator(unit.connection, {
      ...before,
      tier: patch.tier ?? before.tier,
      status: patch.status ?? before.status,
      commission_bps: patch.commission_bps === undefined ? before.commission_bps : patch.commission_bps,
    });
    const revoked = patch.status === 'suspended' && {
      passports_revoked: await context.passportRevocation.ofOperator(unit.connection, {
        operatorId,
        reason: 'Operator suspended',
      }),
    };
    await unit.audit('operator.administered', operator.id, { ...patch, ...revoked });
    unit.changed(operator.id);
    return { status: 200, body: operator };
  });
