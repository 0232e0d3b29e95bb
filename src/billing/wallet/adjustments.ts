import { z } from 'zod';
import { findOperator } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { description } from '../../fields/text.ts';
import { adjustWallet, assertMayAdjust } from './adjust-wallet.ts';
import { WalletTransactionSchema, type WalletTransaction } from './schema.ts';

/** Cents that one adjustment may move: ten thousand of them still add up to an integer that JSON carries exactly. */
const MAX_CENTS = 900_000_000_000;

export const CreateAdjustmentSchema = z
  .strictObject({
    amount_cents: z
      .int()
      .min(-MAX_CENTS)
      .max(MAX_CENTS)
      .refine((amount) => amount !== 0, 'must not be zero')
      .meta({ description: 'Positive puts cents into the wallet, negative takes them out; 0 is refused.' }),
    description,
  })
  .meta({ id: 'CreateAdjustment' });
type CreateAdjustment = z.infer<typeof CreateAdjustmentSchema>;

export const AdjustmentSchema = WalletTransactionSchema;

/**
 * Moves cents between the platform and a wallet, once a person of the platform has approved it (decision B35).
 * @throws CarnetError NOT_FOUND for an unknown operator; BALANCE_TOO_LOW where the wallet would go below zero;
 * GOVERNANCE_APPROVAL_REQUIRED.
 */
export const createAdjustment = (
  context: Context,
  call: CommandCall,
  { operatorId, amount_cents: amountCents, description: reason }: CreateAdjustment & { operatorId: string },
): Promise<Answered<WalletTransaction>> =>
  runCommand(context, call, async (unit) => {
    const operator = await findOperator(unit.connection, operatorId);
    assertThat(operator, () => notFound('operator'));
    const adjustment = { operatorId: operator.id, amountCents, description: reason };
    await assertMayAdjust(unit, adjustment);
    // Not the balance: it may move at any moment, and each time the person would have to look again.
    const subject = { operator_id: operator.id, name: operator.name, email: operator.email, status: operator.status };
    const refused = await context.requireApproval(unit, call, { act: 'wallet.adjusted', subject });
    if (refused !== null) return refused;
    const transaction = await adjustWallet(unit, adjustment);
    unit.changed(operatorId);
    return { status: 201, body: transaction };
  });
