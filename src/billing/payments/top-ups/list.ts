import type { Context } from '../../../context/context.ts';
import type { OperatorId } from '../../../ids/ids.ts';
import { listTopUpRows, type ListedTopUpRow } from './queries.ts';
import { isUnpaid, type ListedTopUp } from './schema.ts';
import { checkoutEncryptionContext } from './encryption-contexts.ts';

/** A page whose time is over can no longer be paid, also before its life has closed it at the provider. */
export function listedTopUp(
  { encryption }: Context,
  { past, status, checkout_url: sealed, ...row }: ListedTopUpRow,
): ListedTopUp {
  const isOver = past && isUnpaid(status);
  return {
    ...row,
    status: isOver ? 'expired' : status,
    checkout_url: sealed === null || isOver ? null : encryption.decrypt(sealed, checkoutEncryptionContext(row.id)),
  };
}

/** Top-ups of an operator with the addresses of their pages, the newest first. */
export const listTopUps = async (
  context: Context,
  operatorId: OperatorId,
  page: { before: string | null; unpaid: boolean; limit: number },
): Promise<ListedTopUp[]> =>
  (await listTopUpRows(context.pool, operatorId, page)).map((row) => listedTopUp(context, row));
