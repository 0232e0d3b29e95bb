import { z } from 'zod';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { description } from '../../fields/text.ts';
import { adjustWallet } from './adjust-wallet.ts';
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
      .meta({ description: 'Positive puts cents into the wallet, negative takes them out.' }),
    description,
  })
  .meta({ id: 'CreateAdjustment' });
type CreateAdjustment = z.infer<typeof CreateAdjustmentSchema>;

export const AdjustmentSchema = WalletTransactionSchema;

/**
 * Moves cents between the platform and a wallet, by platform administration.
 * @throws CarnetError NOT_FOUND for an unknown operator; BALANCE_TOO_LOW where the wallet would go below zero.
 */
export const createAdjustment = (
  context: Context,
  call: CommandCall,
  { operatorId, amount_cents: amountCents, description: reason }: CreateAdjustment & { operatorId: string },
): Promise<Answered<WalletTransaction>> =>
  runCommand(context, call, async (unit) => {
    const transaction = await adjustWallet(unit, {
      operatorId: operatorId as OperatorId, // adjustWallet looks it up: an unknown one is 404
      amountCents,
      description: reason,
    });
    unit.changed(operatorId);
    return { status: 201, body: transaction };
  });
