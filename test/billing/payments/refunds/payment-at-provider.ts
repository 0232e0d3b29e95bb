import { newId } from '../../../../src/ids/ids.ts';
import type { RefundState } from '../../../../src/billing/payments/provider.ts';

/** A refund as the provider has it. */
export interface RefundThere {
  id: string;
  cents: number;
  /** That we requested it under; null: somebody made it in the provider's dashboard. */
  key: string | null;
  status: RefundState['status'];
  madeAt: Date;
  /** When the bank sent it back. */
  backAt: Date | null;
}

/** What the provider reports by webhook: as it was at that moment. */
export type Report = { at: Date } & ({ kind: 'sum'; cents: number } | { kind: 'refund'; refund: RefundThere });

/**
 * One payment at a provider that keeps Stripe's rules: a key makes one refund, the sum counts a refund from its creation
 * until the bank has sent it back, and never more than was paid is refunded. Each change is reported.
 */
export class PaymentAtProvider {
  readonly cents: number;
  readonly refunds: RefundThere[] = [];
  /** Made and not delivered yet. */
  readonly reports: Report[] = [];

  constructor(cents: number) {
    this.cents = cents;
  }

  /** What is refunded of it now. */
  get refunded(): number {
    return this.refunds.filter(({ backAt }) => backAt === null).reduce((sum, { cents }) => sum + cents, 0);
  }

  /** @returns null where as much is not left to refund: it refuses */
  refund(cents: number, { key, status, at }: Pick<RefundThere, 'key' | 'status'> & { at: Date }): RefundThere | null {
    const made = key === null ? undefined : this.refunds.find((refund) => refund.key === key);
    if (made !== undefined) return made;
    if (cents <= 0 || this.refunded + cents > this.cents) return null;
    const refund = { id: `re_${newId('evt')}`, cents, key, status, madeAt: at, backAt: null };
    this.refunds.push(refund);
    this.report(refund, at);
    this.reports.push({ kind: 'sum', cents: this.refunded, at });
    return refund;
  }

  /** A pending refund is paid. */
  succeed(refund: RefundThere, at: Date): void {
    if (refund.status !== 'pending') return;
    refund.status = 'succeeded';
    this.report(refund, at);
  }

  /** The bank sends a refund back. */
  sendBack(refund: RefundThere, at: Date): void {
    if (refund.backAt !== null) return;
    Object.assign(refund, { status: 'failed', backAt: at });
    this.report(refund, at);
  }

  report(refund: RefundThere, at: Date): void {
    this.reports.push({ kind: 'refund', refund: { ...refund }, at });
  }
}
