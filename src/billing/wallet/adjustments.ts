import { z } from 'zod';
import { adjustWallet, WalletTransactionSchema, type WalletTransaction } from '../index.ts';
import { runCommand, type Answered, type CommandCall } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { description } from '../../fields/names.ts';

/** Cents one adjustment may move: ten thousand of them still add up to an integer that JSON carries exactly. */
const MOST_CENTS = 900_000_000_000;

export const CreateAdjustmentSchema = z
  .strictObject({
    amount_cents: z
      .int()
      .min(-MOST_CENTS)
      .max(MOST_CENTS)
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
  operatorId: string,
  body: CreateAdjustment,
): Promise<Answered<WalletTransaction>> =>
  runCommand(context, call, async (unit) => {
    const transaction = await adjustWallet(unit, {
      operatorId: operatorId as OperatorId, // looked up there: an unknown one is 404
      amountCents: body.amount_cents,
      description: body.description,
    });
    unit.changed(operatorId);
    return { status: 201, body: transaction };
  });
