import { z } from 'zod';
import type { Unit } from '../../commands/unit.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { noDetails, type WalletTransaction } from './schema.ts';

interface Adjustment {
  operatorId: string;
  /** Not zero; negative takes money out. */
  amountCents: number;
  description: string;
}

const WalletRow = z.object({ available: z.number(), owed: z.number() });
const ReservedRow = z.object({ reserved: z.number() });
const MovedRow = z.object({ id: z.string() });
const CreatedRow = z.object({ created_at: z.string(), balance_after_cents: z.number().nullable() });

/**
 * Locks the wallet and sees that it covers what is taken out: it never goes below zero (decision B10).
 * @throws CarnetError NOT_FOUND for an unknown operator, BALANCE_TOO_LOW.
 */
export async function assertMayAdjust(
  { connection }: Unit,
  { operatorId, amountCents }: Omit<Adjustment, 'description'>,
): Promise<void> {
  const wallet = await connection.maybeOne(sql.type(WalletRow)`
    select posted_cents - held_cents as available, receivable_cents as owed from wallets
    where operator_id = ${operatorId} for no key update`);
  if (wallet === null) throw notFound('operator');
  if (amountCents < 0) {
    // In a statement of its own: one that had to wait for the lock still sees what was there before.
    const reserved = await connection.oneFirst(sql.type(ReservedRow)`select reserved_cents(${operatorId}) as reserved`);
    assertCovers({ ...wallet, reserved }, -amountCents);
  }
}

/**
 * Puts money into a wallet or takes it out, by a decision of the platform's people. Part of the command of `unit`, which
 * has called `assertMayAdjust`; writes an audit event too.
 */
export async function adjustWallet(
  unit: Unit,
  { operatorId, amountCents, description }: Adjustment,
): Promise<WalletTransaction> {
  const { connection } = unit;
  const id = newId('txn');
  const move = amountCents > 0 ? sql.fragment`credit_wallet` : sql.fragment`debit_wallet`;
  await connection.query(sql.type(MovedRow)`
    select ${move}(${id}, ${operatorId}, ${Math.abs(amountCents)}, 'platform:adjustments', 'adjustment', ${id},
      ${description}) as id`);
  await unit.audit('wallet.adjusted', operatorId, { transaction_id: id, amount_cents: amountCents });
  const { created_at, balance_after_cents } = await connection.one(sql.type(CreatedRow)`
    select created_at, balance_after_cents from transfers where id = ${id}`);
  return {
    id,
    type: 'adjustment',
    amount_cents: amountCents,
    balance_after_cents,
    meter: null,
    description,
    created_at,
    receipt_url: null,
    details: noDetails,
  };
}

/** @throws CarnetError BALANCE_TOO_LOW with the reason: a debt, or what is promised elsewhere. */
function assertCovers(
  { available, owed, reserved }: { available: number; owed: number; reserved: number },
  cents: number,
): void {
  const extra = { balance_cents: available };
  assertThat(owed === 0, () => {
    const detail = `The wallet owes ${owed} cents since a payment was taken back; nothing is taken out before they are paid.`;
    return new CarnetError('BALANCE_TOO_LOW', detail, { extra: { ...extra, receivable_cents: owed } });
  });
  assertThat(available - reserved >= cents, () => {
    const begun = reserved === 0 ? '' : `, ${reserved} of them for usage that is charged and not debited yet`;
    const detail = `The wallet has ${available} cents available${begun}; take out no more than ${available - reserved}.`;
    return new CarnetError('BALANCE_TOO_LOW', detail, { extra });
  });
}
