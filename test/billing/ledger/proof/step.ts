import fc from 'fast-check';

/** How many wallets spend in a history, and how many publishers earn. */
export const WALLETS = 3;
/** The price of each publisher's skill, in cents. */
export const PRICES = [120, 40] as const;

/**
 * The steps that can happen to money. Wallets and skills are indexes. A pick counts modulo the number of things there are, and
 * does nothing where there are none.
 */
export type Step =
  | { do: 'open a top-up'; wallet: number; cents: number }
  | { do: 'top-up event'; topUp: number; as: 'paid' | 'processing' | 'failed' | 'expired' | 'paid another amount' }
  | {
      do: 'dispute event';
      topUp: number;
      which: number;
      as: DisputeStatus;
      /** When the event was made. */
      minute: number;
      /** Quarters of the disputed amount that were withdrawn and given back; null: the event does not list it. */
      moved: { withdrawn: number; reinstated: number } | null;
    }
  | { do: 'a refund without us'; topUp: number; quarters: number }
  | { do: 'a refund without us comes back'; topUp: number }
  | { do: 'refund'; topUp: number }
  | { do: 'refund event'; refund: number; as: 'succeeded' | 'failed' | 'refused' | 'pending' }
  | { do: 'settle a refund by hand'; refund: number; as: 'succeeded' | 'failed' }
  | { do: 'close a receivable'; wallet: number }
  | { do: 'take a differing payment'; topUp: number }
  | { do: 'adjust'; wallet: number; cents: number }
  | { do: 'act'; wallet: number; action: 'passport' | 'claim' | 'checkpoint' }
  | { do: 'invoke'; wallet: number; skill: number }
  | { do: 'end an invocation'; invocation: number; as: 'complete' | 'fail' | 'cancel' | 'expire' }
  | { do: 'use'; wallet: number; source: Source; cost: number }
  | { do: 'use again'; use: number }
  | { do: 'change the tier'; wallet: number; tier: Tier }
  | { do: 'state payouts' }
  | { do: 'begin a payout'; payout: number }
  | { do: 'payout answer'; payout: number; as: 'paid' | 'refused' };

export type DisputeStatus = 'needs_response' | 'won' | 'lost' | 'prevented';
export type Source = 'sealed call' | 'gateway call' | 'classification' | 'included call' | 'machine run' | 'identity';
type Tier = 'free' | 'developer' | 'enterprise';

const wallet = fc.nat(WALLETS - 1);
const pick = fc.nat(7);
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const is = <const D extends string>(what: D) => fc.constant(what);
/** Most usage is a part of a cent; some costs more than a wallet has. */
const cost = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 2_500_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 900_000_000 }) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: is('open a top-up'), wallet, cents: fc.integer({ min: 1_000, max: 3_000 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: is('top-up event'),
      topUp: pick,
      as: mostly<'paid' | 'processing' | 'failed' | 'expired' | 'paid another amount'>(
        'paid',
        'processing',
        'failed',
        'expired',
        'paid another amount',
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('dispute event'),
      topUp: pick,
      which: fc.nat(1),
      as: mostly<DisputeStatus>('needs_response', 'won', 'lost', 'prevented'),
      minute: fc.nat(5),
      moved: fc.option(fc.record({ withdrawn: fc.nat(4), reinstated: fc.nat(4) })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('a refund without us'),
      topUp: pick,
      quarters: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('a refund without us comes back'), topUp: pick }) },
  { weight: 4, arbitrary: fc.record({ do: is('refund'), topUp: pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: is('refund event'),
      refund: pick,
      as: mostly<'succeeded' | 'failed' | 'refused' | 'pending'>('succeeded', 'failed', 'refused', 'pending'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('settle a refund by hand'),
      refund: pick,
      as: fc.constantFrom('succeeded' as const, 'failed' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('close a receivable'), wallet }) },
  { weight: 3, arbitrary: fc.record({ do: is('take a differing payment'), topUp: pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('adjust'),
      wallet,
      cents: fc.integer({ min: -1_500, max: 400 }).filter((cents) => cents !== 0),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: is('act'),
      wallet,
      action: fc.constantFrom('passport' as const, 'claim' as const, 'checkpoint' as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: is('invoke'), wallet, skill: fc.nat(PRICES.length - 1) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: is('end an invocation'),
      invocation: pick,
      as: mostly<'complete' | 'fail' | 'cancel' | 'expire'>('complete', 'fail', 'cancel', 'expire'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: is('use'),
      wallet,
      cost,
      source: fc.constantFrom<Source[]>(
        'sealed call',
        'gateway call',
        'classification',
        'included call',
        'machine run',
        'identity',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('use again'), use: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is('change the tier'),
      wallet,
      tier: fc.constantFrom<Tier[]>('free', 'developer', 'enterprise'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('state payouts') }) },
  { weight: 3, arbitrary: fc.record({ do: is('begin a payout'), payout: pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('payout answer'),
      payout: pick,
      as: mostly<'paid' | 'refused'>('paid', 'refused'),
    }),
  },
);

/** The decisions of a person of the platform. */
export const isByHand = ({ do: what }: Step): boolean =>
  what === 'settle a refund by hand' || what === 'close a receivable' || what === 'take a differing payment';

/** Money to begin with; shrinking leaves it out of a history that fails without it. */
export const opening: fc.Arbitrary<readonly Step[]> = fc.constantFrom<(readonly Step[])[]>(
  [],
  [
    { do: 'open a top-up', wallet: 0, cents: 2_000 },
    { do: 'top-up event', topUp: 0, as: 'paid' },
    { do: 'open a top-up', wallet: 1, cents: 1_200 },
    { do: 'top-up event', topUp: 1, as: 'paid' },
    { do: 'adjust', wallet: 2, cents: 400 },
  ],
  // Something of each kind that waits for a person: a refund, a debt, a payment that differs.
  [
    { do: 'open a top-up', wallet: 0, cents: 2_000 },
    { do: 'top-up event', topUp: 0, as: 'paid' },
    { do: 'refund', topUp: 0 },
    { do: 'open a top-up', wallet: 1, cents: 1_200 },
    { do: 'top-up event', topUp: 1, as: 'paid' },
    { do: 'adjust', wallet: 1, cents: -700 },
    { do: 'a refund without us', topUp: 1, quarters: 4 },
    { do: 'open a top-up', wallet: 2, cents: 1_000 },
    { do: 'top-up event', topUp: 2, as: 'paid another amount' },
  ],
);

/** One line, e.g. `open a top-up: wallet 0, cents 1000`. */
export const stepText = ({ do: what, ...rest }: Step): string => {
  const details = Object.entries(rest).map(
    ([member, value]) => `${member} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  return details.length === 0 ? what : `${what}: ${details.join(', ')}`;
};
