import type { ListedRefund } from '../../../../src/context/payment-provider.ts';
import { newId } from '../../../../src/ids/ids.ts';

/**
 * One payment at a provider that keeps Stripe's rules: a key makes one refund, never more than was paid is refunded, and
 * its list has every refund, the newest first. Each change is reported.
 */
export class PaymentAtProvider {
  readonly cents: number;
  /** The oldest first. */
  readonly refunds: ListedRefund[] = [];
  /** The reports that were made and not delivered yet: each names the refund as it was. */
  readonly reports: ListedRefund[] = [];

  constructor(cents: number) {
    this.cents = cents;
  }

  /** The amount that is refunded of it now. */
  get refunded(): number {
    return this.refunds
      .filter(({ status }) => status !== 'failed')
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  /** The list as it is now. */
  list(): ListedRefund[] {
    return this.refunds.map((refund) => ({ ...refund })).toReversed();
  }

  /** @returns null where as much is not left to refund: it refuses */
  refund(amountCents: number, { key, status, madeAt }: Pick<ListedRefund, 'key' | 'status' | 'madeAt'>) {
    const made = key === null ? undefined : this.refunds.find((refund) => refund.key === key);
    if (made !== undefined) return made;
    if (amountCents <= 0 || this.refunded + amountCents > this.cents) return null;
    const refund: ListedRefund = { providerRefundId: `re_${newId('evt')}`, amountCents, key, status, madeAt };
    this.refunds.push(refund);
    this.report(refund);
    return refund;
  }

  /** A pending refund is paid. */
  succeed(refund: ListedRefund): void {
    if (refund.status !== 'pending') return;
    refund.status = 'succeeded';
    this.report(refund);
  }

  /** The bank sends a refund back. */
  sendBack(refund: ListedRefund): void {
    if (refund.status === 'failed') return;
    refund.status = 'failed';
    this.report(refund);
  }

  report(refund: ListedRefund): void {
    this.reports.push({ ...refund });
  }
}
