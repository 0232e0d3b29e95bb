import { ModelWallet } from './wallet-of-model.ts';
import { PRICES, WALLETS, type DisputeStatus, type Source, type Step } from './step.ts';

/** Metered actions that the tiers of the histories include in a month. */
const ALLOWANCES: Record<string, number> = { free: 25_000, developer: 250_000, enterprise: Infinity };
/** Metered actions that each wallet has used when a history begins: a few before the end of what is free. */
export const USED = [24_998, 0, 25_000] as const;
const OVERAGE_MICROCENTS = 10_000;
export const COMMISSION_BPS = 1_000;
export const MINIMUM_PAYOUT_CENTS = 50;

interface ModelTopUp {
  wallet: number;
  cents: number;
  /** The amount that came into the wallet: what was requested, or what a person took. */
  credited: number;
  /** Whether another sum was paid, and the outcome of that. */
  differing: 'open' | 'taken' | null;
  status: string;
  /** Its refunds at the provider. */
  there: RefundThere[];
  /** The part of them in the list that was read last. */
  listed: RefundThere[];
  chargedBack: number;
  moves: number;
  disputes: Map<number, ModelDispute>;
}

interface ModelRefund {
  topUp: ModelTopUp;
  cents: number;
  status: string;
}

interface RefundThere {
  cents: number;
  status: string;
  /** The one of ours that it is; null: made without us. */
  refund: ModelRefund | null;
}

interface ModelDispute {
  as: DisputeStatus;
  minute: number;
  /** By the name of each movement its cents; null: none was listed yet. */
  moved: Map<string, number> | null;
  taken: number;
  moves: number;
}

export const standings: Record<DisputeStatus, { standing: 'taken' | 'won' | 'none'; stage: number }> = {
  needs_response: { standing: 'taken', stage: 3 },
  prevented: { standing: 'none', stage: 5 },
  lost: { standing: 'taken', stage: 6 },
  won: { standing: 'won', stage: 7 },
};

/** The movements that an event lists: a withdrawal and a reinstatement, each named by its size, since a movement never changes. */
export const movementsOf = (
  cents: number,
  { withdrawn, reinstated }: { withdrawn: number; reinstated: number },
): { what: string; cents: number }[] => [
  { what: `out ${withdrawn}`, cents: -Math.floor((cents * withdrawn) / 4) },
  { what: `back ${reinstated}`, cents: Math.floor((cents * reinstated) / 4) },
];

/** In cents: the first dispute is about the whole payment, the second about half of it. */
export const disputed = (cents: number, which: number): number => (which === 0 ? cents : Math.floor(cents / 2));

export const meterOf: Record<Source, string | null> = {
  'sealed call': 'sealed_execution',
  'gateway call': 'llm_gateway',
  classification: 'l3',
  'included call': null,
  'machine run': 'sealed_execution',
  identity: 'identity',
};
/** Microcents: on the customer's own key only the fee of 15 %, else the cost with the fee; rounded up. */
export const chargeOf = (source: Source, cost: number): number =>
  source === 'included call' ? 0 : Math.floor((cost * (source === 'gateway call' ? 15 : 115) + 99) / 100);

const refused = 'INSUFFICIENT_CREDITS';

/** The whole ledger of a history in memory. `play` does one step and returns what the database must return. */
export class Model {
  readonly wallets = Array.from({ length: WALLETS }, (_, index) => new ModelWallet(USED[index] ?? 0));
  readonly earnings = PRICES.map(() => 0);
  readonly #topUps: ModelTopUp[] = [];
  readonly #refunds: ModelRefund[] = [];
  readonly #invocations: { wallet: number; skill: number; open: boolean }[] = [];
  readonly #uses: { outcome: string }[] = [];
  readonly #payouts: { publisher: number; gross: number; status: string }[] = [];

  play(step: Step): string {
    for (const wallet of this.wallets) wallet.beginEvent();
    switch (step.do) {
      case 'open a top-up': {
        this.#topUps.push({
          wallet: step.wallet,
          cents: step.cents,
          credited: step.cents,
          differing: null,
          status: 'opening',
          there: [],
          listed: [],
          chargedBack: 0,
          moves: 0,
          disputes: new Map(),
        });
        return 'ok';
      }
      case 'top-up event':
        return withPicked(this.#topUps, step.topUp, (topUp) => this.#settle(topUp, step.as));
      case 'dispute event':
        return withPicked(this.#topUps, step.topUp, (topUp) => this.#dispute(topUp, step));
      case 'a refund without us':
        return withPicked(this.#topUps, step.topUp, (topUp) => {
          const cents = Math.floor((topUp.cents * step.quarters) / 4);
          if (isLeft(topUp.there, topUp.cents, cents)) topUp.there.push({ cents, status: 'succeeded', refund: null });
          return this.#read(topUp);
        });
      case 'a refund without us comes back':
        return withPicked(this.#topUps, step.topUp, (topUp) => {
          const one = topUp.there.find(({ refund, status }) => refund === null && status !== 'failed');
          if (one !== undefined) one.status = 'failed';
          return this.#read(topUp);
        });
      case 'refund':
        return withPicked(this.#topUps, step.topUp, (topUp) => this.#refund(topUp));
      case 'refund event':
        return withPicked(this.#refunds, step.refund, (refund) => this.#answer(refund, step.as));
      case 'settle a refund by hand':
        return withPicked(this.#refunds, step.refund, (refund) => {
          const { topUp } = refund;
          if (refund.status !== 'pending') return 'INVALID_STATE';
          if (step.as === 'failed' && topUp.listed.some((listed) => listed.refund === refund)) return 'INVALID_STATE';
          this.#settleRefund(refund, step.as);
          this.#reversed(topUp, step.as);
          return this.#read(topUp);
        });
      case 'close a receivable':
        return this.#wallet(step.wallet).closeReceivable() ? 'closed' : 'NOT_FOUND';
      case 'take a differing payment':
        return withPicked(this.#topUps, step.topUp, (topUp) => this.#take(topUp));
      case 'adjust': {
        const wallet = this.#wallet(step.wallet);
        if (step.cents < 0) return wallet.debit(-step.cents) ? 'ok' : 'too low';
        wallet.credit(step.cents);
        return 'ok';
      }
      case 'act':
        return this.#meter(this.#wallet(step.wallet), step.action !== 'checkpoint') ? 'ok' : refused;
      case 'invoke':
        return this.#invoke(step.wallet, step.skill);
      case 'end an invocation':
        return withPicked(this.#invocations, step.invocation, (invocation) => this.#end(invocation, step.as));
      case 'use':
        return this.#use(step.wallet, step.source, step.cost);
      case 'use again':
        return withPicked(this.#uses, step.use, ({ outcome }) => outcome);
      case 'change the tier': {
        this.#wallet(step.wallet).tier = step.tier;
        return 'ok';
      }
      case 'state payouts':
        return this.#statePayouts();
      case 'begin a payout': {
        return withPicked(this.#payouts, step.payout, (payout) => {
          if (payout.status !== 'due') return payout.status;
          this.#earn(payout.publisher, -payout.gross);
          return (payout.status = 'transferring');
        });
      }
      case 'payout answer': {
        return withPicked(this.#payouts, step.payout, (payout) => {
          if (payout.status !== 'transferring') return 'ok';
          payout.status = step.as === 'paid' ? 'paid' : 'failed';
          if (step.as === 'refused') this.#earn(payout.publisher, payout.gross);
          return 'ok';
        });
      }
    }
  }

  #wallet(index: number): ModelWallet {
    const wallet = this.wallets[index];
    if (wallet === undefined) throw new Error(`There is no wallet ${index}.`);
    return wallet;
  }

  #earn(publisher: number, cents: number): void {
    this.earnings[publisher] = (this.earnings[publisher] ?? 0) + cents;
  }

  #settle(topUp: ModelTopUp, as: string): string {
    if (topUp.status === 'paid') return 'repeated';
    if (as === 'paid another amount') {
      topUp.differing ??= 'open';
      return 'differs';
    }
    if (as === 'paid') {
      topUp.status = 'paid';
      this.#wallet(topUp.wallet).credit(topUp.cents);
      return this.#reversed(topUp, 'paid');
    }
    const from: Record<string, string[]> = {
      processing: ['opening', 'expired'],
      failed: ['opening', 'processing'],
      expired: ['opening'],
    };
    if (from[as]?.includes(topUp.status) !== true) return 'repeated';
    topUp.status = as;
    return as;
  }

  #take(topUp: ModelTopUp): string {
    if (topUp.differing === null) return 'NOT_FOUND';
    if (topUp.differing === 'taken' || topUp.status === 'paid') return 'INVALID_STATE';
    Object.assign(topUp, { differing: 'taken', status: 'paid', credited: topUp.cents + 1 });
    this.#wallet(topUp.wallet).credit(topUp.credited);
    return this.#reversed(topUp, 'taken');
  }

  #dispute(topUp: ModelTopUp, { which, as, minute, moved }: Extract<Step, { do: 'dispute event' }>): string {
    const dispute = topUp.disputes.get(which) ?? { as, minute, moved: null, taken: 0, moves: 0 };
    topUp.disputes.set(which, dispute);
    const { stage } = standings[dispute.as];
    if (minute > dispute.minute || (minute === dispute.minute && standings[as].stage >= stage))
      Object.assign(dispute, { as, minute });
    if (moved !== null) {
      dispute.moved ??= new Map();
      for (const { what, cents } of movementsOf(disputed(topUp.cents, which), moved)) dispute.moved.set(what, cents);
    }
    return this.#reversed(topUp, as);
  }

  /** Applies what is known about a payment that was credited; for a payment that was not, it is kept until then. */
  #reversed(topUp: ModelTopUp, outcome: string): string {
    if (topUp.status !== 'paid') return 'kept';
    const wallet = this.#wallet(topUp.wallet);
    const refunded = topUp.listed
      .filter((listed) => listed.status !== 'failed' && (listed.refund?.status ?? 'failed') === 'failed')
      .reduce((sum, { cents }) => sum + cents, 0);
    const more = refunded - topUp.chargedBack;
    const name = `refunded:${this.#topUps.indexOf(topUp)}:`;
    if (more !== 0) topUp.moves += 1;
    if (more > 0) wallet.chargeBack(more, `${name}${topUp.moves}`);
    else if (more < 0) wallet.returnChargeBack(name, -more);
    topUp.chargedBack = refunded;
    for (const [which, dispute] of [...topUp.disputes].toSorted(([a], [b]) => a - b)) {
      const of = `dispute:${this.#topUps.indexOf(topUp)}:${which}:`;
      const due = dueOf(dispute, disputed(topUp.cents, which));
      if (due === dispute.taken) continue;
      dispute.moves += 1;
      if (due > dispute.taken) wallet.chargeBack(due - dispute.taken, `${of}${dispute.moves}`);
      else wallet.returnChargeBack(of, dispute.taken - due);
      dispute.taken = due;
    }
    return outcome;
  }

  /** Its life reads the provider's list. */
  #read(topUp: ModelTopUp): string {
    if (topUp.status !== 'paid') return 'unpaid';
    topUp.listed = topUp.there.map((there) => ({ ...there }));
    for (const refund of this.#refunds) {
      if (refund.topUp !== topUp) continue;
      const listed = topUp.listed.find((each) => each.refund === refund)?.status;
      if (refund.status === 'pending' && listed !== undefined && listed !== 'pending')
        this.#settleRefund(refund, listed);
      else if (refund.status === 'succeeded' && (listed ?? 'failed') === 'failed') this.#settleRefund(refund, 'failed');
    }
    return this.#reversed(topUp, 'read');
  }

  #refund(topUp: ModelTopUp): string {
    if (topUp.status !== 'paid') return 'NOT_FOUND';
    if ([...topUp.disputes.values()].some(({ as }) => standings[as].standing === 'taken')) return 'NOT_REFUNDABLE';
    const before = this.#refunds.some((refund) => refund.topUp === topUp && refund.status !== 'failed');
    const cents =
      topUp.credited - topUp.listed.reduce((sum, { status, cents: one }) => sum + (status === 'failed' ? 0 : one), 0);
    if (before || cents <= 0) return 'ALREADY_REFUNDED';
    if (!this.#wallet(topUp.wallet).hold(cents)) return 'BALANCE_BELOW_TOPUP';
    this.#refunds.push({ topUp, cents, status: 'pending' });
    return 'ok';
  }

  /** The provider makes it, or says its outcome, or refuses; then the list is read. */
  #answer(refund: ModelRefund, as: string): string {
    const { topUp, cents } = refund;
    const made = topUp.there.find((there) => there.refund === refund);
    if (made !== undefined) made.status = laterStatus(made.status, as);
    else if (as !== 'refused' && isLeft(topUp.there, topUp.credited, cents))
      topUp.there.push({ cents, status: as, refund });
    const outcome = this.#read(topUp);
    if (refund.status !== 'pending' || topUp.there.some((there) => there.refund === refund)) return outcome;
    this.#settleRefund(refund, 'failed');
    return this.#reversed(topUp, 'released');
  }

  #settleRefund(refund: ModelRefund, status: string): void {
    const wallet = this.#wallet(refund.topUp.wallet);
    if (status === 'succeeded') wallet.capture(refund.cents);
    else if (refund.status === 'succeeded') wallet.credit(refund.cents);
    else wallet.release(refund.cents);
    refund.status = status;
  }

  #meter(wallet: ModelWallet, charged: boolean): boolean {
    const over = charged && wallet.used >= (ALLOWANCES[wallet.tier] ?? Infinity);
    if (over && !wallet.charge('metered_action', OVERAGE_MICROCENTS)) return false;
    wallet.used += 1;
    return true;
  }

  #invoke(index: number, skill: number): string {
    const wallet = this.#wallet(index);
    const price = PRICES[skill] ?? 0;
    const before = {
      posted: wallet.posted,
      positions: wallet.positions,
      used: wallet.used,
      meter: { ...wallet.meters.get('metered_action') },
    };
    const metered = this.#meter(wallet, true);
    if (metered && wallet.hold(price)) {
      this.#invocations.push({ wallet: index, skill, open: true });
      return 'ok';
    }
    // A refused step changes nothing, not even the charge for the action.
    Object.assign(wallet, { posted: before.posted, positions: before.positions, used: before.used });
    if (before.meter.charged === undefined || before.meter.debited === undefined)
      wallet.meters.delete('metered_action');
    else wallet.meters.set('metered_action', { charged: before.meter.charged, debited: before.meter.debited });
    return refused;
  }

  #end(invocation: { wallet: number; skill: number; open: boolean }, as: string): string {
    if (!invocation.open) return 'over';
    const price = PRICES[invocation.skill] ?? 0;
    const wallet = this.#wallet(invocation.wallet);
    invocation.open = false;
    if (as === 'complete') {
      wallet.capture(price);
      this.#earn(invocation.skill, price);
    } else {
      wallet.release(price);
    }
    return 'ok';
  }

  #use(index: number, source: Source, cost: number): string {
    const wallet = this.#wallet(index);
    const microcents = chargeOf(source, cost);
    if (!wallet.charge(meterOf[source] ?? '', microcents)) return refused;
    if (source !== 'machine run' && source !== 'identity') wallet.calls += 1;
    const outcome = `charged ${microcents}`;
    this.#uses.push({ outcome });
    return outcome;
  }

  #statePayouts(): string {
    for (const [publisher, gross] of this.earnings.entries()) {
      if (gross === 0) continue;
      for (const payout of this.#payouts)
        if (payout.publisher === publisher && payout.status === 'due') payout.status = 'rolled_over';
      const net = gross - Math.floor((gross * COMMISSION_BPS) / 10_000);
      this.#payouts.push({ publisher, gross, status: net < MINIMUM_PAYOUT_CENTS ? 'rolled_over' : 'due' });
    }
    return 'ok';
  }
}

/** Whether a provider refunds as much of a payment. */
export const isLeft = (there: { cents: number; status: string }[], paid: number, cents: number): boolean =>
  cents > 0 && there.reduce((sum, one) => sum + (one.status === 'failed' ? 0 : one.cents), cents) <= paid;

/** A provider's refund that has failed stays so, and one that has succeeded is not pending again. */
export const laterStatus = (was: string, as: string): string =>
  was === 'failed' || as === 'refused' || (was === 'succeeded' && as === 'pending') ? was : as;

/** The amount that a dispute holds of the wallet's money. */
function dueOf({ as, moved }: ModelDispute, amount: number): number {
  const { standing } = standings[as];
  const cents = [...(moved?.values() ?? [])];
  const net = cents.reduce((sum, each) => sum + each, 0);
  if (standing === 'none' || (standing === 'won' && !cents.some((each) => each > 0))) return 0;
  return moved === null ? amount : Math.max(0, -net);
}

/** Calls `then` with the picked one; `nothing` where there is none to pick. */
export function withPicked<T, R extends string | Promise<string>>(
  from: readonly T[],
  pick: number,
  then: (picked: T) => R,
): R | 'nothing' {
  const picked = from[pick % Math.max(1, from.length)];
  return picked === undefined ? 'nothing' : then(picked);
}
