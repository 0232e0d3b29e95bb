import type { Encryption } from '../encryption.ts';
import { receiptSeal } from './top-up-seals.ts';

interface SealedReceipt {
  /** The top-up. */
  id: string;
  sealed: string;
}

interface Receipted {
  id: string;
  receipt_url: string | null;
}

/**
 * Rows of a page, as JSON without its brackets, with the receipts of its top-ups opened (decisions B27).
 * @param sealed JSON: a SealedReceipt by transaction; null: none of them has one
 */
export function withReceipts(encryption: Encryption, rows: string, sealed: string | null): string {
  if (sealed === null) return rows;
  const receipts = JSON.parse(sealed) as Partial<Record<string, SealedReceipt>>;
  const transactions = JSON.parse(`[${rows}]`) as Receipted[];
  for (const transaction of transactions) {
    const receipt = receipts[transaction.id];
    if (receipt !== undefined) transaction.receipt_url = encryption.open(receipt.sealed, receiptSeal(receipt.id));
  }
  return JSON.stringify(transactions).slice(1, -1);
}
