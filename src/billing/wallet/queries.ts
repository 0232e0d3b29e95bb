import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { dollars } from '../money.ts';
import type { Balance } from './schema.ts';

const WalletRow = z.object({ posted_cents: z.number(), held_cents: z.number(), receivable_cents: z.number() });

/** The wallet of an operator, in cents; every operator has one from its beginning. */
export async function readBalance(connection: CommonQueryMethods, operatorId: OperatorId): Promise<Balance> {
  const { posted_cents, held_cents, receivable_cents } = await connection.one(sql.type(WalletRow)`
    select posted_cents, held_cents, receivable_cents from wallets where operator_id = ${operatorId}`);
  const available = posted_cents - held_cents;
  return {
    balance_cents: available,
    balance_usd: dollars(available),
    ledger_balance_cents: posted_cents,
    held_cents,
    receivable_cents,
  };
}
