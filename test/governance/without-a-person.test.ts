import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { governedActs } from '../../src/commands/governed-acts.ts';
import { sql } from '../../src/database/pool.ts';
import { payloadOf } from '../passports/holders.ts';
import { roundsOf } from '../support/cases.ts';
import { database, type Reply } from '../support/service.ts';
import {
  accessOf,
  attempts,
  FORWARD_URL,
  learn,
  openService,
  passTime,
  type Bearer,
  type BearersWorld,
  type Choose,
  type Service,
} from './bearers.ts';
import { refusedWith } from './support.ts';

type Attempt = keyof typeof attempts;

/** One call, or time that passes; the numbers choose who calls and what about. */
interface Step {
  what: Attempt | 'time';
  who: number;
  numbers: number[];
}

const stepOf = (what: Step['what'], who: number, ...numbers: number[]): Step => ({ what, who, numbers });
const numbers = fc.array(fc.nat({ max: 99 }), { minLength: 5, maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom<Step['what']>(
    ...(Object.keys(attempts) as Attempt[]),
    // A step that holds an agent to account is tried more often than the rest.
    'issue',
    'checkout',
    'decide',
    'decide',
    'changeAgent',
    'time',
    'time',
  ),
  who: fc.nat({ max: 99 }),
  numbers,
});

/** Who makes a step, by its place in the world. */
const ENDS_SOON = 5;
const WITHOUT_END = 6;

/** Ask for every governed act once, by the administrator's key; in two worlds, since only so many requests may wait in one. */
const everyAct: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('checkout', 0, 0, 1),
  stepOf('decide', 0, 0, 0),
  stepOf('decide', 0, 0, 1),
  stepOf('issue', 0, 0, 0, 0),
  stepOf('unblock', 0, 0),
  stepOf('unblock', 0, 2),
  stepOf('changeAgent', 0, 0, 0),
  stepOf('addMember', 0, 0),
  stepOf('addMember', 0, 1),
  stepOf('deleteMember', 0, 0),
  stepOf('deleteMember', 0, 1),
  stepOf('makeKey', 0, 0, 0, 0),
  stepOf('makeGrant', 0, 0),
  stepOf('changeOperator', 0, 0),
  stepOf('changeOperator', 0, 6),
  stepOf('makeDestination', 0, 1),
  stepOf('deleteDestination', 0, 0),
  stepOf('rotateSecret', 0, 0),
  stepOf('makeRule', 0, 0, 0),
  stepOf('changeRule', 0, 0, 0, 0),
  stepOf('deleteRule', 0, 0),
];
const everyOtherAct: Step[] = [
  stepOf('makeEndpoint', 0, 0, 0),
  stepOf('changeEndpoint', 0, 0, 0),
  stepOf('rotateEndpointSecret', 0, 0, 0),
  stepOf('replayEvent', 0, 0, 0),
  stepOf('markHarmless', 0, 0, 0),
  stepOf('eraseClaim', 0, 0),
  stepOf('eraseContents', 0),
  stepOf('addMember', 0, 2),
  stepOf('makeAgent', 0, 0, 3),
  stepOf('changeAgent', 0, 1, 11),
  stepOf('changeOperator', 0, 2),
  stepOf('makeEndpoint', 0, 0, 2),
  stepOf('rotateEndpointSecret', 0, 0, 2),
  stepOf('changeAgent', 0, 1, 7),
  stepOf('changeAgent', 0, 1, 8),
  stepOf('publishSkill', 0, 0),
];

/**
 * A key that ends soon leaves behind all that it can, where one without an end has made the same before.
 * The agent is retired at last: nothing more is made for a retired one.
 */
const leavingBehind: Step[] = [
  ...[WITHOUT_END, ENDS_SOON].flatMap((who) => [
    stepOf('addMember', who, 2),
    stepOf('makeAgent', who, 0, 3),
    stepOf('changeAgent', who, 1, 11),
    stepOf('changeAgent', who, 1, 9),
    stepOf('changeAgent', who, 1, 11),
    stepOf('changeOperator', who, 3),
    stepOf('changeOperator', who, 4),
    stepOf('changeOperator', who, 2),
    stepOf('makeEndpoint', who, 0, 2),
    stepOf('makeEndpoint', who, 0, 2, 1),
    stepOf('rotateEndpointSecret', who, 0, 1),
    stepOf('setCredential', who, 0, 0),
    stepOf('setCredential', who, 1, 0),
    stepOf('publishSkill', who, 0),
    stepOf('publishSkill', who, 1),
    stepOf('makeKey', who, 0, 1, 0),
    stepOf('makeKey', who, 2, 1, 0),
    stepOf('makeGrant', who, 0),
    stepOf('makeDestination', who, 1),
    stepOf('sayApproved', who, 0),
  ]),
  ...[WITHOUT_END, ENDS_SOON].flatMap((who) => [stepOf('changeAgent', who, 0, 7), stepOf('changeAgent', who, 0, 8)]),
];

/** A key of the agent lasts, is retired, and is wanted back. */
const broughtBack: Step[] = [
  stepOf('makeKey', WITHOUT_END, 0, 2, 0, 0),
  stepOf('changeAgent', 0, 0, 7),
  stepOf('changeAgent', WITHOUT_END, 0, 8),
  stepOf('changeAgent', ENDS_SOON, 0, 8),
];

/** An agent that is blocked has a late report, and is blocked again. */
const secondBlock: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('issue', 0, 0, 0, 0),
  stepOf('checkout', 0, 0, 1),
  stepOf('time', 0, 3),
  stepOf('decide', 0, 0, 3),
  stepOf('checkout', 0, 1, 1),
  stepOf('decide', WITHOUT_END, 1, 3),
  stepOf('decide', 0, 1, 1),
  stepOf('unblock', WITHOUT_END, 0),
  stepOf('sayApproved', 0, 0),
  stepOf('issue', WITHOUT_END, 0, 0, 0),
];

/** A report comes when the checkout was missed long ago. */
const lateReport: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('time', 0, 3),
  stepOf('checkout', 2, 0, 0),
  stepOf('decide', 0, 0, 0),
  stepOf('decide', WITHOUT_END, 0, 1),
  stepOf('issue', WITHOUT_END, 0, 0, 0),
];

/** An enforced agent gets rid of its passport and never reports. */
const vanishing: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('revoke', 0, 0, 0, 0, 0),
  stepOf('time', 0, 99),
  stepOf('issue', 1, 0, 0, 0),
];

/** An agent gives another a passport, is held, and the other goes on. */
const passingOn: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('delegate', 0, 0, 1),
  stepOf('checkout', 0, 0, 1),
  stepOf('refresh', 0, 1),
  stepOf('delegate', 0, 1, 1),
];

/** An agent is blocked for good by a bearer, and another one with its key goes on. */
const twins: Step[] = [
  stepOf('issue', 0, 3, 0, 0),
  stepOf('issue', 0, 0, 0, 0),
  stepOf('checkout', 0, 1, 1),
  stepOf('issue', 0, 3, 0, 0),
  stepOf('decide', 0, 0, 3),
  stepOf('issue', 0, 3, 0, 0),
  stepOf('refresh', 0, 0),
  stepOf('delegate', 0, 0, 1),
];

/** The key is taken off the agent before it is held, and is another one's then. */
const keyTakenOff: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('changeAgent', 0, 0, 9),
  stepOf('checkout', 0, 0, 1),
  stepOf('issue', 0, 3, 0, 0),
  stepOf('decide', 0, 0, 3),
  stepOf('issue', 0, 3, 0, 0),
  stepOf('makeAgent', WITHOUT_END, 2, 3),
  stepOf('issue', 0, 4, 0, 0),
];

/** The key is taken off the twin of an agent that is held. */
const keyTakenOffTwin: Step[] = [
  stepOf('issue', 0, 0, 0, 0),
  stepOf('checkout', 0, 0, 1),
  stepOf('changeAgent', 0, 3, 9),
  stepOf('issue', 0, 3, 0, 0),
];

/** A standard agent is held to more by another one with its key, and its own interval is lengthened. */
const heldByTwin: Step[] = [
  stepOf('makeAgent', WITHOUT_END, 0, 4),
  stepOf('makeAgent', WITHOUT_END, 2, 5),
  stepOf('changeAgent', 0, 4, 4),
  stepOf('changeAgent', 0, 4, 3),
  stepOf('changeAgent', 0, 4, 5),
];

const StateRow = z.object({
  approved: z.number(),
  lifted: z.number(),
  unanswered: z.number(),
  approvals: z.number(),
  deciders: z.string(),
  rules: z.string().nullable(),
  unheld: z.number(),
  redirected: z.number(),
  chosen: z.number(),
  judged_anew: z.number(),
  erased: z.number(),
  all_erased: z.number(),
  payout_account: z.string().nullable(),
  passports_may_invoke: z.boolean(),
  destinations: z.string(),
});
const AgentRow = z.object({
  id: z.string(),
  status: z.string(),
  retired: z.boolean(),
  accountability: z.enum(['standard', 'logged', 'enforced']),
  interval: z.number().nullable(),
  held: z.enum(['standard', 'logged', 'enforced']),
  held_interval: z.number().nullable(),
  key: z.string().nullable(),
});
const HoldRow = z.object({ review: z.string(), agent: z.string() });
type AgentState = z.infer<typeof AgentRow>;

const MODES = ['standard', 'logged', 'enforced'];
/** Seconds between the checkpoints of an agent, as the decisions have it. */
const secondsBetween = ({ accountability, interval }: Pick<AgentState, 'accountability' | 'interval'>): number =>
  accountability === 'standard'
    ? Infinity
    : Math.min(interval ?? Infinity, accountability === 'enforced' ? 300 : Infinity);

/** Compares what it is held to, by itself or by another agent with a key of it. */
const secondsHeld = ({ held, held_interval }: AgentState): number =>
  secondsBetween({ accountability: held, interval: held_interval });

/** Makes the steps, and looks after each whether anything came about that needs a person. */
class Walk {
  readonly #world: BearersWorld;
  readonly #before: Promise<z.infer<typeof StateRow>>;
  readonly #agents = new Map<string, AgentState>();
  /** The public keys that each agent has or had, as they were seen. */
  readonly #keys = new Map<string, Set<string>>();
  /** The keys that the agent of each pending critical review had when it became one. */
  readonly #held = new Map<string, ReadonlySet<string>>();

  constructor(world: BearersWorld) {
    this.#world = world;
    this.#before = this.#state();
  }

  begin(): Promise<void> {
    return this.#check('nothing');
  }

  async take({ what, who, numbers: chosen }: Step): Promise<void> {
    let nth = 0;
    const choose: Choose = (from) => {
      const one = from[(chosen[nth % chosen.length] ?? 0) % from.length];
      nth += 1;
      assert(one !== undefined);
      return one;
    };
    await this.#before;
    if (what === 'time') await passTime(this.#world, choose([61, 400, 1_000, 10_000]));
    else await this.#call(what, who, choose);
    await this.#check(what);
  }

  async #call(what: Attempt, who: number, choose: Choose): Promise<void> {
    const world = this.#world;
    const bearer = world.bearers[who % world.bearers.length];
    const attempt = attempts[what](world, choose);
    if (bearer === undefined || attempt === undefined) return;
    const idle = await this.#idle();
    const access = await accessOf(world);
    const reply = await attempt(bearer, {});
    await this.#assertNothingOutlives(bearer, access, what);
    assert(reply.status < 500, `${what} by ${bearer.name}: ${reply.text}`);
    if (reply.body['code'] === 'GOVERNANCE_APPROVAL_REQUIRED') {
      world.known.apr.push(refusedWith(reply).approval_id);
      world.again = (headers) => attempt(bearer, headers);
    }
    if (reply.status === 201 && typeof reply.body['token'] === 'string') await this.#assertMayWork(reply, idle);
    learn(world, reply);
  }

  /** A thing that gives access after a call and did not before ends with the bearer that called; what one without an end makes may stay. */
  async #assertNothingOutlives(
    bearer: Bearer,
    before: ReadonlyMap<string, string | null>,
    after: string,
  ): Promise<void> {
    for (const [what, ends] of await accessOf(this.#world)) {
      const lasts = ends === null ? Infinity : Date.parse(ends);
      assert(before.has(what) || lasts <= bearer.endsAt + 1_000, `${what} outlives ${bearer.name}, by ${after}`);
    }
  }

  /** Agents that are held or blocked, and those that have or had a key of one. */
  async #idle(): Promise<ReadonlySet<string>> {
    const blocked = [...this.#agents.values()].filter(({ status }) => status === 'blocked').map(({ id }) => id);
    const holds = await this.#holds();
    const bound = new Set([
      ...blocked.flatMap((id) => [...this.#keysOf(id)]),
      ...[...this.#held.values()].flatMap((keys) => [...keys]),
    ]);
    const alike = [...this.#agents.keys()].filter((id) => !this.#keysOf(id).isDisjointFrom(bound));
    return new Set([...blocked, ...holds.map(({ agent }) => agent), ...alike]);
  }

  #holds(): Promise<readonly z.infer<typeof HoldRow>[]> {
    const { db, operatorId } = this.#world;
    return db.any(sql.type(HoldRow)`
      select id as review, agent_id as agent from checkouts
      where operator_id = ${operatorId} and risk = 'critical' and hold_lifted_at is null
        and (review_status = 'pending' or (review_status = 'blocked' and not block_future))`);
  }

  #keysOf(agent: string): Set<string> {
    const keys = this.#keys.get(agent) ?? new Set();
    this.#keys.set(agent, keys);
    return keys;
  }

  /** Notes which keys agents have, and which of them new reviews hold. */
  async #noteKeys(): Promise<void> {
    for (const { id, key } of this.#agents.values()) if (key !== null) this.#keysOf(id).add(key);
    const holds = await this.#holds();
    for (const review of this.#held.keys())
      if (!holds.some((hold) => hold.review === review)) this.#held.delete(review);
    for (const { review, agent } of holds)
      if (!this.#held.has(review)) this.#held.set(review, new Set(this.#keysOf(agent)));
  }

  /** No agent gets a passport, nor continues or passes one on, while it or one above it is held or blocked. */
  async #assertMayWork(reply: Reply, idle: ReadonlySet<string>): Promise<void> {
    const { chain, agent_id: agent } = payloadOf(String(reply.body['token'])).svcns;
    const above = await this.#world.db.anyFirst(sql.type(z.object({ agent_id: z.string() }))`
      select agent_id from passports where jti = any(${sql.array(chain, 'text')})`);
    for (const id of [agent, ...above]) assert(!idle.has(id), `${id} is held or blocked, and got ${reply.text}`);
  }

  async #check(after: string): Promise<void> {
    const [{ deciders, destinations, rules }, now] = [await this.#before, await this.#state()];
    const nothing = {
      approved: 0,
      lifted: 0,
      unanswered: 0,
      approvals: 0,
      unheld: 0,
      redirected: 0,
      chosen: 0,
      judged_anew: 0,
      erased: 0,
      all_erased: 0,
      payout_account: null,
      passports_may_invoke: false,
    };
    assert.deepEqual(now, { ...nothing, deciders, destinations, rules }, `after ${after}`);
    const { db, operatorId } = this.#world;
    const agents = await db.any(sql.type(AgentRow)`
      select a.id, a.status, a.retired_at is not null as retired, a.accountability, a.checkpoint_interval_seconds as interval,
        held.accountability as held, held.checkpoint_interval_seconds as held_interval, a.key_thumbprint as key
      from agents a, accountability_of_agent(a.id) as held where a.operator_id = ${operatorId}`);
    for (const agent of agents) {
      const known = this.#agents.get(agent.id) ?? agent;
      assert(known.status !== 'blocked' || agent.status === 'blocked', `${agent.id} was unblocked by ${after}`);
      assert(!known.retired || agent.retired, `${agent.id} was brought back by ${after}`);
      assert(!agent.retired || agent.status !== 'active', `${agent.id} is retired and active after ${after}`);
      assert(
        MODES.indexOf(agent.accountability) >= MODES.indexOf(known.accountability) &&
          MODES.indexOf(agent.held) >= MODES.indexOf(known.held) &&
          secondsBetween(agent) <= secondsBetween(known) &&
          secondsHeld(agent) <= secondsHeld(known),
        `${after}: ${JSON.stringify(known)} became ${JSON.stringify(agent)}`,
      );
      this.#agents.set(agent.id, agent);
    }
    await this.#noteKeys();
  }

  /** All zero and null but what there was from the beginning: the people who decide, the destinations and the rules of notifications. */
  async #state(): Promise<z.infer<typeof StateRow>> {
    const { db, operatorId } = this.#world;
    return await db.one(sql.type(StateRow)`
      select
        (select count(*) from checkouts where operator_id = o.id and review_status = 'approved') as approved,
        -- A hold that ended, and no block took its place.
        (select count(*) from checkouts c join agents a on a.id = c.agent_id
          where c.operator_id = o.id and c.review_status = 'blocked' and c.risk = 'critical'
            and (c.hold_lifted_at is not null or (c.block_future and a.status <> 'blocked'))) as lifted,
        -- An enforced passport that ended long ago, and nobody reported and nothing holds its agent.
        (select count(*) from passport_lineages l
          where l.operator_id = o.id and l.accountability = 'enforced'
            and not exists (select from checkouts c where c.lineage_id = l.id)
            and least(l.revoked_at, case when exists
                  (select from passport_flags f where f.lineage_id = l.id and f.severity = 'critical') then l.latest_expiry end, greatest(l.latest_expiry,
                  l.started_at + make_interval(secs => (l.intent::json ->> 'estimated_duration_seconds')::float8)))
              < clock_timestamp() - interval '960 seconds') as unanswered,
        (select count(*) from governance_approvals where operator_id = o.id and status in ('approved', 'consumed')) as approvals,
        -- Endpoints that hold less than the standard policy, or forward to another URL than the one there was from the beginning; secrets that somebody chose;
        -- events that were held.
        (select count(*) from inbound_endpoints where operator_id = o.id and (mode = 'shadow' or block_at = 'critical')) as unheld,
        (select count(*) from inbound_endpoints where operator_id = o.id and forward_url <> ${FORWARD_URL}) as redirected,
        (select count(*) from audit_events where operator_id = o.id and action = 'inbound_endpoint.secret_rotated' and (detail ->> 'chosen')::boolean) as chosen,
        (select count(*) from inbound_events where operator_id = o.id and (attempt > 1 or harmless <> '[]')) as judged_anew,
        (select count(*) from claims where issuer = o.id and erased_at is not null) as erased,
        (select count(*) from content_erasures where operator_id = o.id) as all_erased,
        (select string_agg(id || ' ' || role, ', ' order by id) from members where operator_id = o.id and role <> 'member') as deciders,
        (select string_agg(concat_ws(' ', id, address, secret), ', ' order by id) from destinations where operator_id = o.id) as destinations,
        (select string_agg(concat_ws(' ', r.id, r.events, r.min_severity, r.active, rd.destination_id), ', ' order by r.id, rd.position)
          from notification_rules r left join rule_destinations rd on rd.rule_id = r.id where r.operator_id = o.id) as rules,
        payout_account, passports_may_invoke
      from operators o where id = ${operatorId}`);
  }
}

describe('An act that needs a person', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await openService();
  });
  after(() => service.close());

  it('never comes about by bearers alone, no matter what an admin key, an admin’s token, an agent’s key and the keys that they make call', async () => {
    const operators: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 50 }), async (steps) => {
        const world = await service.open();
        operators.push(world.operatorId);
        const walk = new Walk(world);
        await walk.begin();
        for (const one of steps) await walk.take(one);
      }),
      {
        numRuns: roundsOf(40, 12),
        examples: [
          [everyAct],
          [everyOtherAct],
          [vanishing],
          [passingOn],
          [twins],
          [keyTakenOff],
          [keyTakenOffTwin],
          [heldByTwin],
          [leavingBehind],
          [broughtBack],
          [secondBlock],
          [lateReport],
        ],
      },
    );
    const pool = await database();
    const asked = await pool.anyFirst(sql.type(z.object({ action: z.string() }))`
      select distinct action from governance_approvals where operator_id = any(${sql.array(operators, 'text')})`);
    // An act that only the platform's key may request is none of an operator's bearers': test/billing/cases has it.
    const ofOperators = Object.entries(governedActs).filter(([, { call }]) => !/ \/v1\/admin\//.test(call));
    assert.deepEqual(asked.toSorted(), ofOperators.map(([act]) => act).toSorted(), 'every act was tried');
  });
});
