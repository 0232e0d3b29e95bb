import { CarnetError } from '../../errors/carnet-error.ts';

/** A page of the payment provider that a caller waits for and that another one has just begun to open again. */
export const pageNotOpenYet = (page: string): CarnetError =>
  new CarnetError(
    'TEMPORARILY_UNAVAILABLE',
    `The ${page} is not open yet. Send the same request again with the same Idempotency-Key.`,
    { headers: { 'Retry-After': '5' } },
  );

/** A page that the payment provider refuses for good. @param advice what else the caller can do */
export const pageRefused = (page: string, advice?: string): CarnetError => {
  const contact = advice === undefined ? 'contact us' : `contact us, or ${advice}`;
  return new CarnetError('PAYMENT_REFUSED', `The payment provider refuses to open a ${page}; ${contact}.`);
};
