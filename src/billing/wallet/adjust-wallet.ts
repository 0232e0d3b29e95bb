import { z } from 'zod';
import type { Unit } from '../../commands/unit.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { noDetails, type WalletTransaction } from './schema.ts';

export interface Adjustment {
  operatorId: OperatorId;
  /** Not zero; negative takes money out. */
  amountCents: number;
  description: string;
}

const AvailableRow = z.object({ available: z.number() });
const MovedRow = z.object({ id: z.string().nullable() });
const CreatedRow = z.object({ created_at: z.string() });

/**
 * Puts money into a wallet or takes it out, by a decision of the platform's administrator. Part of the command of
 * `unit`, which writes an audit event too. The wallet never goes below zero (decision B10).
 * @throws CarnetError NOT_FOUND for an unknown operator, BALANCE_TOO_LOW.
 */
export async function adjustWallet(
  unit: Unit,
  { operatorId, amountCents, description }: Adjustment,
): Promise<WalletTransaction> {
  const { connection } = unit;
  const id = newId('txn');
  const wallet = await connection.maybeOne(sql.type(AvailableRow)`
    select posted_cents - held_cents as available from wallets where operator_id = ${operatorId} for no key update`);
  if (wallet === null) throw notFound('operator');
  const move = amountCents > 0 ? sql.fragment`credit_wallet` : sql.fragment`debit_wallet`;
  const moved = await connection.one(sql.type(MovedRow)`
    select ${move}(${id}, ${operatorId}, ${Math.abs(amountCents)}, 'platform:adjustments', 'adjustment', ${id},
      ${description}) as id`);
  assertThat(moved.id !== null, () => {
    const detail = `The wallet has ${wallet.available} cents available; take out no more than that.`;
    return new CarnetError('BALANCE_TOO_LOW', detail, { extra: { balance_cents: wallet.available } });
  });
  await unit.audit('wallet.adjusted', operatorId, { transaction_id: id, amount_cents: amountCents });
  const { created_at } = await connection.one(sql.type(CreatedRow)`select created_at from transfers where id = ${id}`);
  return {
    id,
    type: 'adjustment',
    amount_cents: amountCents,
    meter: null,
    description,
    created_at,
    receipt_url: null,
    details: noDetails,
  };
}
