import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { ledgerFacts, ledgerLaws } from '../../../src/billing/ledger/laws/index.ts';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql } from '../../../src/database/pool.ts';
import { translateDatabaseError } from '../../../src/database/errors.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import {
  advance,
  cancel,
  claim,
  complete,
  credit,
  fail,
  invoke,
  newSkill,
  newWallet,
  passDeadline,
} from '../../billing/ledger/ledger-world.ts';
import { newId } from '../../../src/ids/ids.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { roundsOf } from '../../support/cases.ts';
import { treeWorld, type Outcome, type TreeWorld } from '../tree-world.ts';

/** Cents of the skills that are invoked. One is free, and one costs more than most budgets are. */
const PRICES = [0, 1, 4, 11] as const;
/** More than any walk spends, so that budgets alone refuse. */
const WALLET = 10_000;
const DEEPEST = 4;

const pick = fc.nat({ max: 1_000 });
const agent = fc.nat({ max: 3 });
const budget = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined });
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('issue' as const), agent, budget }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('delegate' as const), of: pick, agent, budget }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('refresh' as const), of: pick }) },
  { weight: 12, arbitrary: fc.record({ act: fc.constant('invoke' as const), of: pick, skill: fc.nat({ max: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constantFrom('cancel', 'complete', 'fail', 'overdue' as const), of: pick }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('revoke', 'expire' as const), of: pick }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A passport with its refreshes. */
interface Hop {
  parent: Hop | null;
  depth: number;
  /** The jti that its budget is named by, and cents; null: it names none. */
  budget: { jti: string; amount: number; used: number } | null;
  revoked: boolean;
}
interface Held {
  jti: string;
  token: string;
  hop: Hop;
  expired: boolean;
}
interface Order {
  id: string;
  price: number;
  hop: Hop;
}

/** The hop and all above it. */
const chainOf = (hop: Hop): Hop[] => (hop.parent === null ? [hop] : [hop, ...chainOf(hop.parent)]);
const budgetsOf = (hop: Hop) => chainOf(hop).flatMap(({ budget: own }) => (own === null ? [] : [own]));
const remaining = ({ amount, used }: { amount: number; used: number }): number => amount - used;

/** The result of a statement: its answer, or the code of its refusal. */
async function outcomeOf<T>(statement: Promise<T>): Promise<Outcome<T>> {
  try {
    return await statement;
  } catch (error) {
    const refusal = translateDatabaseError(error);
    if (refusal instanceof CarnetError) return refusal.code;
    throw error;
  }
}

const law =
  ledgerLaws.find((one) => one.of === 'budgets of passports') ?? assert.fail('No law is about budgets of passports.');

/** Takes steps in the service and in a model that adds and subtracts. */
class Walk {
  readonly #own: OwnContext;
  readonly #world: TreeWorld;
  readonly #provider: string;
  readonly #skills: readonly string[];
  readonly #passports: Held[] = [];
  #orders: Order[] = [];
  /** How many invocations and delegations a budget refused. */
  refused = 0;

  private constructor(own: OwnContext, world: TreeWorld, market: { provider: string; skills: readonly string[] }) {
    this.#own = own;
    this.#world = world;
    this.#provider = market.provider;
    this.#skills = market.skills;
  }

  static async begin(own: OwnContext): Promise<Walk> {
    const world = await treeWorld(own.context);
    const { pool } = own.context;
    await credit(pool, world.operatorId, { cents: WALLET, cause: newId('txn') });
    const provider = await newWallet(pool);
    const skills: string[] = [];
    for (const price of PRICES) skills.push(await newSkill(pool, provider, { price }));
    return new Walk(own, world, { provider, skills });
  }

  async take(taken: Step): Promise<void> {
    if (taken.act === 'issue') return this.#issue(taken);
    if (taken.act === 'cancel' || taken.act === 'complete' || taken.act === 'fail' || taken.act === 'overdue')
      return this.#end(taken.act, taken.of);
    const passport = this.#passports[taken.of % Math.max(1, this.#passports.length)];
    if (passport === undefined) return undefined;
    if (taken.act === 'delegate') return this.#delegate(passport, taken);
    if (taken.act === 'refresh') return this.#refresh(passport);
    if (taken.act === 'invoke') return this.#invoke(passport, taken.skill);
    if (taken.act === 'revoke') {
      await this.#world.revoke(passport.jti);
      passport.hop.revoked = true;
      return undefined;
    }
    await this.#world.expire(passport.jti);
    passport.expired = true;
  }

  /** Each budget has used what the model says, and the law of the ledger holds. */
  async check(): Promise<void> {
    const { pool } = this.#own.context;
    const expected = [...new Set(this.#passports.map(({ hop }) => hop))].flatMap(({ budget: own }) => own ?? []);
    const rows = await pool.any(sql.type(z.object({ jti: z.string(), amount: z.number(), used: z.number() }))`
      select jti, amount_cents as amount, used_cents as used from passport_budgets
      where jti = any(${sql.array(
        expected.map(({ jti }) => jti),
        'text',
      )})`);
    const byJti = (one: { jti: string }, other: { jti: string }): number => (one.jti < other.jti ? -1 : 1);
    assert.deepEqual(rows.toSorted(byJti), expected.toSorted(byJti));
    const broken = await pool.any(sql.type(z.object({ subject: z.string() }))`
      with ${ledgerFacts} select subject from (${law.rows}) law where holds is not true`);
    assert.deepEqual(broken, []);
  }

  async #issue({ agent: nth, budget: amount }: Step & { act: 'issue' }): Promise<void> {
    const made = await this.#world.issue({ agent_id: this.#agent(nth), ...this.#named(amount) });
    this.#learn(signed(made), { parent: null, depth: 0, revoked: false }, amount);
  }

  async #delegate(parent: Held, { agent: nth, budget: amount }: Step & { act: 'delegate' }): Promise<void> {
    const outcome = await this.#world.delegate({
      parent_passport_token: parent.token,
      child_agent_id: this.#agent(nth),
      scopes: [],
      ...this.#named(amount),
    });
    const above = parent.hop;
    const ended = this.#ended(parent);
    if (ended !== null) return assert.equal(outcome, ended);
    if (above.depth === DEEPEST) return assert.equal(outcome, 'DELEGATION_DEPTH_EXCEEDED');
    if (amount !== undefined && budgetsOf(above).some((one) => remaining(one) < amount)) {
      this.refused += 1;
      return assert.equal(outcome, 'PASSPORT_BUDGET_EXCEEDED');
    }
    return this.#learn(signed(outcome), { parent: above, depth: above.depth + 1, revoked: false }, amount);
  }

  async #refresh(passport: Held): Promise<void> {
    const outcome = await this.#world.refresh({ token: passport.token });
    const ended = this.#ended(passport);
    if (ended !== null) return assert.equal(outcome, ended);
    const { jti, token } = signed(outcome);
    this.#passports.push({ jti, token, hop: passport.hop, expired: false });
  }

  async #invoke(passport: Held, nth: number): Promise<void> {
    const [skill, price] = [this.#skills[nth] as string, PRICES[nth] as number];
    const outcome = await outcomeOf(
      invoke(
        this.#own.context.pool,
        { consumer: this.#world.operatorId, skill },
        { passport: passport.jti, ttlSeconds: 3_600 },
      ),
    );
    const ended = this.#ended(passport);
    if (ended !== null) return assert.equal(outcome, ended);
    const counted = budgetsOf(passport.hop);
    if (counted.some((one) => remaining(one) < price)) {
      this.refused += 1;
      return assert.equal(outcome, 'PASSPORT_BUDGET_EXCEEDED');
    }
    assert.match(outcome, /^inv_/);
    for (const one of counted) one.used += price;
    this.#orders.push({ id: outcome, price, hop: passport.hop });
  }

  async #end(act: 'cancel' | 'complete' | 'fail' | 'overdue', nth: number): Promise<void> {
    const order = this.#orders[nth % Math.max(1, this.#orders.length)];
    if (order === undefined) return;
    const { pool } = this.#own.context;
    const named = { provider: this.#provider, id: order.id };
    if (act === 'cancel') await cancel(pool, this.#world.operatorId, order.id);
    else if (act === 'overdue') {
      await passDeadline(pool, order.id);
      assert.equal((await advance(pool, order.id)).status, 'expired');
    } else {
      await claim(pool, named);
      await (act === 'complete' ? complete : fail)(pool, named);
    }
    if (act !== 'complete') for (const one of budgetsOf(order.hop)) one.used -= order.price;
    this.#orders = this.#orders.filter((one) => one !== order);
  }

  #agent = (nth: number): string => (this.#world.agents[nth] as { id: string }).id;
  #named = (amount: number | undefined) => (amount === undefined ? {} : { budget: { amount_cents: amount } });

  #ended({ hop, expired }: Held): 'PASSPORT_REVOKED' | 'PASSPORT_EXPIRED' | null {
    if (chainOf(hop).some(({ revoked }) => revoked)) return 'PASSPORT_REVOKED';
    return expired ? 'PASSPORT_EXPIRED' : null;
  }

  #learn({ jti, token }: SignedPassport, hop: Omit<Hop, 'budget'>, amount: number | undefined): void {
    const own = amount === undefined ? null : { jti, amount, used: 0 };
    this.#passports.push({ jti, token, hop: { ...hop, budget: own }, expired: false });
  }
}

function signed(outcome: Outcome<SignedPassport>): SignedPassport {
  assert(typeof outcome !== 'string', `refused with ${JSON.stringify(outcome)}`);
  return outcome;
}

describe('budgets in trees of passports', function () {
  this.timeout(240_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  it('are what a model adds up after each delegation, refresh, invocation, cancellation, completion, failure, expiry and revocation', async () => {
    const walks = roundsOf(200, 25);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const walk = await Walk.begin(own);
        for (const taken of steps) {
          await walk.take(taken);
          await walk.check();
        }
        refused += walk.refused;
      }),
      { numRuns: walks },
    );
    await assertLedger(own.context.pool);
    assert(refused > walks / 5, `budgets refused only ${refused} times`);
  });
});
