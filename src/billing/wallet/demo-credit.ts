import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';

/** The first credit of a demo operator: given once in the life of the database, however often the process starts. No route gives it. */
export async function ensureDemoCredit(context: Context, operatorId: OperatorId, cents: number): Promise<void> {
  await context.pool.query(sql.type(z.object({}))`
    select credit_wallet(${newId('txn')}, ${operatorId}, ${cents}, 'platform:adjustments', 'adjustment',
      ${`demo:${operatorId}`}, 'Demo credit')`);
}
