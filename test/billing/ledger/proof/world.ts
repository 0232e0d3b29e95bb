import { ulid } from 'ulid';
import { sql, type DatabasePool } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { newSkill, newWallet, run } from '../ledger-world.ts';
import { monthToSpare } from '../../metering/counters.ts';
import {
  COMMISSION_BPS,
  disputed,
  isLeft,
  laterStatus,
  meterOf,
  MINIMUM_PAYOUT_CENTS,
  movementsOf,
  standings,
  USED,
  withPicked,
} from './model.ts';
import { Refused, type Lane } from './proof-database.ts';
import { PRICES, WALLETS, type Source, type Step } from './step.ts';

interface TopUp {
  id: string;
  wallet: number;
  cents: number;
  payment: string;
  /** The cents that came into the wallet, null while none did. */
  credited: number | null;
  /** Its refunds at the provider; `key`: that we requested it under. */
  there: { id: string; cents: number; status: string; key: string | null }[];
}

/**
 * The things that the steps created, and their state by the answers of the database. Marks are only ever set, so their order
 * does not matter.
 */
interface Deeds {
  topUps: TopUp[];
  refunds: { id: string; topUp: TopUp; key: string; cents: number }[];
  adjustments: { wallet: number; cents: number }[];
  /** Debts that were given up. */
  closed: { wallet: number; cents: number }[];
  invocations: { id: string; wallet: number; skill: number; ended: 'captured' | 'released' | null }[];
  uses: { id: string; wallet: number; source: Source; cost: number }[];
  /** Metered actions that were counted. */
  actions: { wallet: number }[];
  payouts: { id: string }[];
}

type Query = (statement: string, ...values: unknown[]) => ReturnType<Lane['query']>;

/**
 * The operators of one history in a database that many histories share; each step calls the functions that the service
 * calls.
 */
export class World {
  readonly wallets: string[] = [];
  readonly publishers: string[] = [];
  readonly deeds: Deeds = {
    topUps: [],
    refunds: [],
    adjustments: [],
    closed: [],
    invocations: [],
    uses: [],
    actions: [],
    payouts: [],
  };
  readonly #skills: string[] = [];
  #months = 0;

  static async make(db: DatabasePool): Promise<World> {
    await monthToSpare();
    const world = new World();
    for (let index = 0; index < WALLETS; index += 1) {
      const id = await newWallet(db);
      world.wallets.push(id);
      await run(
        db,
        sql.fragment`
        insert into usage_counters (operator_id, meter, month, used) values (${id}, 'metered_action', utc_month(clock_timestamp()), ${USED[index] ?? 0})`,
      );
    }
    for (const price of PRICES) {
      const id = await newWallet(db);
      await run(db, sql.fragment`update operators set payout_account = 'acct_proof' where id = ${id}`);
      world.publishers.push(id);
      world.#skills.push(await newSkill(db, id, { price }));
    }
    return world;
  }

  /**
   * Does one step on a connection; its transactions are kept open for `linger` round trips.
   * @returns the outcome, in the words of the model
   * @throws any error of the database that is no refusal, e.g. a deadlock
   */
  async play(lane: Lane, step: Step, linger = 0): Promise<string> {
    const { deeds } = this;
    const query: Query = (statement, ...values) => lane.query(statement, values, linger);
    const outcomeOf = async (statement: string, ...values: unknown[]): Promise<string> =>
      outcomeIn(await query(statement, ...values));
    /** A life reads the provider's list, again while another one set a list meanwhile. */
    const read = async (topUp: TopUp): Promise<string> => {
      await query('select report_refunds($1)', topUp.payment);
      for (;;) {
        const begun = await query(
          `select 'ok' as outcome, b.reports::int, b.readings::int from (select) o left join begin_refund_reading($1) b on true`,
          topUp.id,
        );
        if (begun instanceof Refused || begun.reports === null) return 'unpaid';
        const list = topUp.there.map((there) => ({ ...there, made_at: '2026-01-01T00:00:00Z' }));
        const outcome = await outcomeOf(
          `select case when is_set then 'read' else 'again' end as outcome from set_refunds($1, $2, $3, $4::jsonb)`,
          topUp.id,
          begun.reports,
          begun.readings,
          JSON.stringify(list),
        );
        if (outcome !== 'again') return outcome;
      }
    };
    switch (step.do) {
      case 'open a top-up': {
        const id = newId('top');
        await query(
          `insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at) values ($1, $2, 'local', $3, 86400, 'http://carnet.test', now() + interval '1 day')`,
          id,
          this.wallets[step.wallet],
          step.cents,
        );
        deeds.topUps.push({
          id,
          wallet: step.wallet,
          cents: step.cents,
          payment: `pi_${ulid()}`,
          credited: null,
          there: [],
        });
        return 'ok';
      }
      case 'top-up event':
        return withPicked(deeds.topUps, step.topUp, async (topUp) => {
          const other = step.as === 'paid another amount';
          const paid = other || step.as === 'paid';
          const outcome = await outcomeOf(
            `select outcome from settle_top_up($1, $2, $3, $4, 'usd', $5, null)`,
            topUp.id,
            paid ? 'paid' : step.as,
            `cs_${topUp.id}`,
            topUp.cents + Number(other),
            paid ? topUp.payment : null,
          );
          if (outcome === 'paid') topUp.credited = topUp.cents;
          return outcome;
        });
      case 'dispute event':
        return withPicked(deeds.topUps, step.topUp, ({ id, payment, cents }) =>
          outcomeOf(
            `select outcome from record_dispute($1, $2, $3, $4, $5, $6, timestamptz '2026-01-01' + make_interval(mins => $7), $8::jsonb, null)`,
            `dp_${id}_${step.which}`,
            payment,
            disputed(cents, step.which),
            step.as,
            standings[step.as].standing,
            standings[step.as].stage,
            step.minute,
            step.moved === null
              ? null
              : JSON.stringify(
                  movementsOf(disputed(cents, step.which), step.moved).map(({ what, cents: moved }) => ({
                    id: `txn_${id}_${step.which}_${what}`,
                    cents: moved,
                  })),
                ),
          ),
        );
      case 'a refund without us':
        return withPicked(deeds.topUps, step.topUp, (topUp) => {
          const cents = Math.floor((topUp.cents * step.quarters) / 4);
          if (isLeft(topUp.there, topUp.cents, cents))
            topUp.there.push({ id: `re_${ulid()}`, cents, status: 'succeeded', key: null });
          return read(topUp);
        });
      case 'a refund without us comes back':
        return withPicked(deeds.topUps, step.topUp, (topUp) => {
          const one = topUp.there.find(({ key, status }) => key === null && status !== 'failed');
          if (one !== undefined) one.status = 'failed';
          return read(topUp);
        });
      case 'refund':
        return withPicked(deeds.topUps, step.topUp, async (topUp) => {
          const id = newId('rfd');
          const row = await query(
            `select 'ok' as outcome, begin_refund($1, $2, $3, (select transaction_id from top_ups where id = $4), 'local')::int as cents`,
            id,
            newId('hld'),
            this.wallets[topUp.wallet],
            topUp.id,
          );
          if (row instanceof Refused) return outcomeIn(row);
          const key = await outcomeOf(
            `select refund_key(transaction_id, attempt) as outcome from refunds where id = $1`,
            id,
          );
          deeds.refunds.push({ id, topUp, key, cents: Number(row.cents) });
          return outcomeIn(row);
        });
      case 'refund event':
        return withPicked(deeds.refunds, step.refund, async ({ id, topUp, key, cents }) => {
          const made = topUp.there.find((there) => there.key === key);
          if (made !== undefined) made.status = laterStatus(made.status, step.as);
          else if (step.as !== 'refused' && isLeft(topUp.there, topUp.credited ?? 0, cents))
            topUp.there.push({ id: `re_${ulid()}`, cents, status: step.as, key });
          const outcome = await read(topUp);
          if (topUp.there.some((there) => there.key === key)) return outcome;
          return outcomeOf(
            `select case when release_refused_refund($1) then 'released' else 'read' end as outcome`,
            id,
          );
        });
      case 'settle a refund by hand':
        return withPicked(deeds.refunds, step.refund, async ({ id, topUp }) => {
          const row = await query('select outcome from settle_refund_by_hand($1, $2, null)', id, step.as);
          return row instanceof Refused ? outcomeIn(row) : read(topUp);
        });
      case 'close a receivable': {
        const row = await query(
          `select 'closed' as outcome, cents::int from close_receivable((
            select id from receivables where operator_id = $1 and paid_cents < amount_cents order by created_at, id limit 1), (
            select amount_cents - paid_cents from receivables where operator_id = $1 and paid_cents < amount_cents order by created_at, id limit 1), null)`,
          this.wallets[step.wallet],
        );
        if (!(row instanceof Refused)) deeds.closed.push({ wallet: step.wallet, cents: Number(row.cents) });
        return outcomeIn(row);
      }
      case 'take a differing payment':
        return withPicked(deeds.topUps, step.topUp, async (topUp) => {
          const outcome = await outcomeOf(
            'select outcome from take_differing_payment((select id from differing_payments where top_up_id = $1), null)',
            topUp.id,
          );
          if (outcome === 'taken') topUp.credited = topUp.cents + 1;
          return outcome;
        });
      case 'adjust': {
        const move = step.cents > 0 ? 'credit_wallet' : 'debit_wallet';
        const outcome = await outcomeOf(
          `select case when ${move}($1, $2, $3, 'platform:adjustments', 'adjustment', $1, 'by a history') is null then 'too low' else 'ok' end as outcome`,
          newId('txn'),
          this.wallets[step.wallet],
          Math.abs(step.cents),
        );
        if (outcome === 'ok') deeds.adjustments.push(step);
        return outcome;
      }
      case 'act': {
        const outcome = await outcomeOf(
          `select 'ok' as outcome, meter_action($1, $2)`,
          this.wallets[step.wallet],
          step.action,
        );
        if (outcome === 'ok') deeds.actions.push(step);
        return outcome;
      }
      case 'invoke': {
        const id = newId('inv');
        const outcome = await outcomeOf(
          `select 'ok' as outcome from invoke_skill(
            p_operator => $1, p_agent_part => '', p_actor => 'proof', p_key => null, p_fingerprint => null, p_request => null,
            p_invocation => $2, p_hold => $3, p_skill => $4, p_revision => 1, p_input => '{}', p_input_hash => 'hash', p_input_fits => true,
            p_agent => null, p_passport => null, p_api_key => null, p_api_key_limit => null, p_ttl_seconds => 3600, p_max_price => null)`,
          this.wallets[step.wallet],
          id,
          newId('hld'),
          this.#skills[step.skill],
        );
        if (outcome === 'ok') {
          deeds.invocations.push({ id, wallet: step.wallet, skill: step.skill, ended: null });
          deeds.actions.push(step);
        }
        return outcome;
      }
      case 'end an invocation':
        return withPicked(deeds.invocations, step.invocation, async (invocation) => {
          const outcome = await this.#end(query, invocation, step.as);
          if (outcome === 'ok') invocation.ended = step.as === 'complete' ? 'captured' : 'released';
          return outcome;
        });
      case 'use': {
        const use = { id: ulid(), wallet: step.wallet, source: step.source, cost: step.cost };
        const outcome = outcomeIn(await this.#use(query, use));
        if (outcome.startsWith('charged')) deeds.uses.push(use);
        return outcome;
      }
      case 'use again':
        return withPicked(deeds.uses, step.use, async (use) => outcomeIn(await this.#use(query, use)));
      case 'change the tier': {
        await query('update operators set tier = $2 where id = $1', this.wallets[step.wallet], step.tier);
        return 'ok';
      }
      case 'state payouts':
        return this.#statePayouts(query);
      case 'begin a payout':
        return withPicked(deeds.payouts, step.payout, ({ id }) =>
          outcomeOf('select advance_payout($1, true) as outcome', id),
        );
      case 'payout answer':
        return withPicked(deeds.payouts, step.payout, ({ id }) =>
          outcomeOf(`select 'ok' as outcome, settle_payout($1, $2)`, id, step.as === 'paid' ? `tr_${id}` : null),
        );
    }
  }

  /**
   * Ends an invocation: by the provider, the consumer, or the clock.
   * @returns `over` where it had ended or is about to end.
   */
  async #end(
    query: Query,
    { id, wallet, skill }: { id: string; wallet: number; skill: number },
    as: string,
  ): Promise<string> {
    const by =
      'p_key_operator => null, p_agent_part => null, p_actor => $3, p_key => null, p_fingerprint => null, p_request => null';
    const one = `p_authority => $2, ${by}, p_invocation => $1`;
    const provider = [id, this.publishers[skill], 'proof'];
    if (as === 'expire') {
      await query(
        `update invocations set expires_at = clock_timestamp() - interval '1 second' where id = $1 and completed_at is null`,
        id,
      );
      const row = await query('select status, changed from advance_invocation($1)', id);
      return !(row instanceof Refused) && row.status === 'expired' && row.changed === true ? 'ok' : 'over';
    }
    if (as === 'cancel') {
      const row = await query(`select messages from cancel_invocation(${one})`, id, this.wallets[wallet], 'proof');
      // The same again is answered the same, and changes nothing.
      return row instanceof Refused || row.messages === 0 ? 'over' : 'ok';
    }
    if (
      (await query(
        `select 'ok' from claim_invocation(${one}, p_attempt => null, p_lease_seconds => null)`,
        ...provider,
      )) instanceof Refused
    )
      return 'over';
    const ended =
      as === 'complete'
        ? await query(
            `select 'ok' from complete_invocation(${one}, p_attempt => null, p_output => '{}', p_output_hash => 'hash', p_output_fits => true, p_transfer => $4)`,
            ...provider,
            newId('txn'),
          )
        : await query(
            `select 'ok' from fail_invocation(${one}, p_attempt => null, p_error => '{"code":"BROKEN","message":"broken"}')`,
            ...provider,
          );
    return ended instanceof Refused ? 'over' : 'ok';
  }

  #use(query: Query, { id, wallet, source, cost }: Deeds['uses'][number]): ReturnType<Query> {
    const operator = this.wallets[wallet];
    if (source === 'identity')
      return query(
        `select 'charged ' || charge_usage($1, $2, 'identity', $3, 'by a history') as outcome`,
        `idc_${id}`,
        operator,
        cost,
      );
    if (source === 'machine run')
      return query(
        `select 'charged ' || record_machine_run($1) as outcome`,
        JSON.stringify({ id: `mch_${id}`, operator_id: operator, duration_ms: 1, cost_microcents: cost }),
      );
    return query(
      `select 'charged ' || record_model_call($1) as outcome`,
      JSON.stringify({
        id: `llm_${id}`,
        operator_id: operator,
        operation: 'chat',
        provider: 'proof',
        model: 'proof-1',
        prompt_tokens: 1,
        completion_tokens: 1,
        total_tokens: 2,
        streaming: false,
        price_state: source === 'included call' ? 'included' : 'wallet_price',
        cost_microcents: cost,
        meter: meterOf[source],
      }),
    );
  }

  /** Each time for a later month, so that everything earned so far counts. */
  async #statePayouts(query: Query): Promise<string> {
    this.#months += 1;
    const month = `${2100 + Math.floor(this.#months / 12)}-${String((this.#months % 12) + 1).padStart(2, '0')}`;
    await query(`select * from open_payouts($1, '', 10000, $2, $3, 0)`, month, COMMISSION_BPS, MINIMUM_PAYOUT_CENTS);
    for (const publisher of this.publishers) {
      const row = await query('select id from payouts where operator_id = $1 and month = $2', publisher, month);
      if (!(row instanceof Refused) && row.id !== undefined) this.deeds.payouts.push({ id: `${publisher}:${month}` });
    }
    return 'ok';
  }
}

/** @throws Error where a function neither succeeded nor refused */
function outcomeIn(row: Awaited<ReturnType<Query>>): string {
  if (row instanceof Refused) return row.code;
  if (typeof row.outcome !== 'string') throw new Error(`A step came to nothing: ${JSON.stringify(row)}`);
  return row.outcome;
}
