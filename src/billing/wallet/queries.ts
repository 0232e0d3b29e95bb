import { z } from 'zod';
import { json } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { dollars } from '../../fields/dollars.ts';
import { BalanceSchema, type Balance } from './schema.ts';

const WalletRow = z.object({
  posted_cents: z.number(),
  held_cents: z.number(),
  receivable_cents: z.number(),
  reserved_cents: z.number(),
  remainders: json.pipe(BalanceSchema.shape.remainders),
});

/** The wallet of an operator, as of one moment; every operator has one from its beginning. */
export async function readBalance(connection: CommonQueryMethods, operatorId: OperatorId): Promise<Balance> {
  const { posted_cents, held_cents, receivable_cents, reserved_cents, remainders } = await connection.one(sql.type(
    WalletRow,
  )`
    select posted_cents, held_cents, receivable_cents, reserved_cents(operator_id) as reserved_cents, (
      select coalesce(json_agg(json_build_object('meter', meter, 'microcents', charged_microcents - debited_cents * 1000000) order by meter), '[]')
      from wallet_remainders r where r.operator_id = wallets.operator_id and charged_microcents > debited_cents * 1000000)::text as remainders
    from wallets where operator_id = ${operatorId}`);
  const balance = posted_cents - held_cents;
  return {
    balance_cents: balance,
    balance_usd: dollars(balance),
    ledger_balance_cents: posted_cents,
    held_cents,
    reserved_cents,
    available_cents: receivable_cents > 0 ? 0 : Math.max(0, balance - reserved_cents),
    receivable_cents,
    remainders,
  };
}
