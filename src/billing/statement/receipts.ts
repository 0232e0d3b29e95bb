import type { Context } from '../../context/context.ts';
import { receiptEncryptionContext } from '../payments/top-ups/encryption-contexts.ts';

interface EncryptedReceipt {
  /** The id of the top-up. */
  id: string;
  sealed: string;
}

interface RowWithReceipt {
  id: string;
  receipt_url: string | null;
}

/**
 * The rows of a page, as JSON without its brackets, with the receipts of its top-ups decrypted. A statement is a record
 * of money, so a row whose receipt cannot be decrypted is shown without it rather than not at all.
 * @param sealed JSON: an EncryptedReceipt by transaction id; null where no row has one
 */
export function withReceipts(context: Context, rows: string, sealed: string | null): string {
  if (sealed === null) return rows;
  const receipts = JSON.parse(sealed) as Partial<Record<string, EncryptedReceipt>>;
  const transactions = JSON.parse(`[${rows}]`) as RowWithReceipt[];
  for (const transaction of transactions) {
    const receipt = receipts[transaction.id];
    if (receipt !== undefined) transaction.receipt_url = decryptReceipt(context, receipt);
  }
  return JSON.stringify(transactions).slice(1, -1);
}

function decryptReceipt({ encryption, log }: Context, { id, sealed }: EncryptedReceipt): string | null {
  try {
    return encryption.decrypt(sealed, receiptEncryptionContext(id));
  } catch (error) {
    log.error(
      { topUpId: id, reason: error instanceof Error ? error.message : String(error) },
      'the receipt of a top-up cannot be opened',
    );
    return null;
  }
}
