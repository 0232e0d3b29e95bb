import type { z } from 'zod';
import type { Context } from '../context/context.ts';
import { CoseFault } from '../cose/sign1.ts';
import { invalid } from '../errors/carnet-error.ts';
import { shownBy } from './receipt-proof.ts';
import type { ReceiptSchema } from './schema/envelope.ts';

type Receipt = z.infer<typeof ReceiptSchema>;

/**
 * Whether the receipt of another registry, with which a claim comes, shows that it is in the log of that registry. Only a COSE receipt has a
 * signature of the registry; of the other formats, and of a registry whose key is not configured, nothing is known: false.
 * @returns null where there is none
 * @throws CarnetError VALIDATION_ERROR for a COSE receipt of a known registry that does not verify.
 */
export function judgeExternalReceipt(
  { config }: Pick<Context, 'config'>,
  { receipt, leafHash }: { receipt: Receipt | null; leafHash: Buffer },
): boolean | null {
  if (receipt === null) return null;
  const { registry, proof } = receipt;
  const key = config.registryKeys.find(({ name }) => name === registry);
  if (key === undefined || proof?.format !== 'scitt-cose-receipt') return false;
  try {
    shownBy(proof, { leafHash, publicKey: key.publicKey, kid: null });
    return true;
  } catch (error) {
    if (!(error instanceof CoseFault)) throw error;
    throw invalid({
      path: 'receipt.proof.bytes',
      code: 'invalid_receipt',
      message: `is a receipt of ${registry}, whose key is known here, that ${error.message}`,
    });
  }
}
