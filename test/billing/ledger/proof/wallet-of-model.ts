export const MICROCENTS = 1_000_000;

interface Receivable {
  cause: string;
  seq: number;
  amount: number;
  paid: number;
}

/** A wallet as a few numbers, which the ledger must equal. */
export class ModelWallet {
  posted = 0;
  held = 0;
  positions = 0;
  calls = 0;
  tier = 'free';
  used: number;
  /** Microcents charged and cents debited, by meter. */
  readonly meters = new Map<string, { charged: number; debited: number }>();
  readonly receivables: Receivable[] = [];
  #seq = 0;

  constructor(used: number) {
    this.used = used;
  }

  get available(): number {
    return this.posted - this.held;
  }

  get owes(): number {
    return this.receivables.reduce((sum, { amount, paid }) => sum + amount - paid, 0);
  }

  get openRemainders(): number {
    return [...this.meters.values()].reduce((sum, { charged, debited }) => sum + charged - debited * MICROCENTS, 0);
  }

  spends(cents: number): boolean {
    return this.owes === 0 && this.available >= cents;
  }

  move(cents: number): void {
    this.posted += cents;
    this.positions += 1;
  }

  credit(cents: number): void {
    this.move(cents);
    this.#payReceivables();
  }

  /** The oldest receivable first; receivables of one event in the order of their causes. */
  #open(): Receivable[] {
    return this.receivables
      .filter(({ amount, paid }) => paid < amount)
      .toSorted((a, b) => a.seq - b.seq || (a.cause < b.cause ? -1 : 1));
  }

  #payReceivables(): void {
    for (const owed of this.#open()) {
      const payable = Math.min(this.available, owed.amount - owed.paid);
      if (payable <= 0) return;
      this.move(-payable);
      owed.paid += payable;
    }
  }

  /** The platform pays the oldest debt, in one row in and one out. @returns false where there is none */
  closeReceivable(): boolean {
    const [owed] = this.#open();
    if (owed === undefined) return false;
    owed.paid = owed.amount;
    this.positions += 2;
    return true;
  }

  debit(cents: number): boolean {
    if (!this.spends(cents)) return false;
    this.move(-cents);
    return true;
  }

  /** A cent that a meter has begun to use is not promised again. */
  hold(cents: number): boolean {
    if (!this.spends(cents + Math.ceil(this.openRemainders / MICROCENTS))) return false;
    this.held += cents;
    return true;
  }

  release(cents: number): void {
    this.held -= cents;
    this.#payReceivables();
  }

  capture(cents: number): void {
    this.held -= cents;
    this.move(-cents);
  }

  covers(microcents: number): boolean {
    return this.owes === 0 && this.available * MICROCENTS - this.openRemainders >= microcents;
  }

  /** Debits a cent as soon as a meter has charged another whole one. */
  charge(meter: string, microcents: number): boolean {
    if (microcents === 0) return true;
    if (!this.covers(microcents)) return false;
    const stream = this.meters.get(meter) ?? { charged: 0, debited: 0 };
    const cents = Math.floor((stream.charged + microcents) / MICROCENTS) - stream.debited;
    if (cents > 0) this.move(-cents);
    this.meters.set(meter, { charged: stream.charged + microcents, debited: stream.debited + cents });
    return true;
  }

  beginEvent(): void {
    this.#seq += 1;
  }

  chargeBack(cents: number, cause: string): void {
    const taken = Math.min(cents, this.available);
    if (taken > 0) this.move(-taken);
    if (taken < cents) this.receivables.push({ cause, seq: this.#seq, amount: cents - taken, paid: 0 });
  }

  /** Cancels what is owed under causes that begin so, the newest first, and credits the rest. */
  returnChargeBack(of: string, cents: number): void {
    let left = cents;
    for (const owed of this.receivables.filter(({ cause }) => cause.startsWith(of)).toReversed()) {
      const cancelled = Math.min(left, owed.amount - owed.paid);
      owed.amount -= cancelled;
      left -= cancelled;
    }
    if (left > 0) this.credit(left);
  }
}
