import assert from 'node:assert/strict';
import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { newId } from '../../src/ids/ids.ts';
import { sql } from '../../src/database/pool.ts';
import { decideReview } from '../../src/passports/accountability/decide-review.ts';
import type { SignedPassport } from '../../src/passports/schema.ts';
import { RACE_ROUNDS } from '../billing/ledger/ledger-world.ts';
import { callOf, ownContext, type OwnContext } from '../invocations/own-context.ts';
import { treeWorld, type Outcome, type TreeWorld } from './tree-world.ts';

/** Callers in parallel: more than the pool has connections, so that some wait for one and some for the lock. */
const CALLERS = 12;
/** Passports that each round begins with. */
const BEFORE = 4;

interface Known {
  token: string;
  jti: string;
  agent: number;
}

/** One look at a passport: whether it was valid, and whether the look began after the revocation was answered. */
interface Look {
  jti: string;
  verdict: string;
  after: boolean;
}

/** Makes calls of every kind on the known passports until it is stopped. */
class Traffic {
  readonly #world: TreeWorld;
  readonly known: Known[] = [];
  readonly looks: Look[] = [];
  readonly outcomes = new Set<string>();
  revoked = false;
  stopped = false;
  calls = 0;

  constructor(world: TreeWorld) {
    this.#world = world;
  }

  async issue(): Promise<void> {
    const agent = this.#any(this.#world.agents.length);
    this.#learn(agent, await this.#world.issue({ agent_id: this.#agentId(agent) }));
  }

  async run(): Promise<void> {
    const acts = [
      () => this.issue(),
      () => this.#delegate(),
      () => this.#refresh(),
      () => this.#verify(),
      () => this.#verify(),
    ];
    while (!this.stopped) {
      await acts[this.#any(acts.length)]?.();
      this.calls += 1;
      await breathe();
    }
  }

  async #delegate(): Promise<void> {
    const agent = this.#any(this.#world.agents.length);
    const body = { parent_passport_token: this.#one().token, child_agent_id: this.#agentId(agent), scopes: [] };
    this.#learn(agent, await this.#world.delegate(body));
  }

  async #refresh(): Promise<void> {
    const { token, agent } = this.#one();
    this.#learn(agent, await this.#world.refresh({ token }));
  }

  async #verify(): Promise<void> {
    const { token, jti } = this.#one();
    const after = this.revoked;
    this.looks.push({ jti, verdict: await this.#world.verify(token), after });
  }

  #learn(agent: number, outcome: Outcome<SignedPassport>): void {
    if (typeof outcome === 'string') this.outcomes.add(outcome);
    else this.known.push({ token: outcome.token, jti: outcome.jti, agent });
  }

  #one = (): Known => this.known[this.#any(this.known.length)] as Known;
  #any = (of: number): number => Math.floor(Math.random() * of);
  #agentId = (agent: number): string => (this.#world.agents[agent] as { id: string }).id;
}

function signed(outcome: Outcome<SignedPassport>): SignedPassport {
  if (typeof outcome === 'string') assert.fail(`refused: ${outcome}`);
  return outcome;
}

const Fact = z.object({
  jti: z.string(),
  active: z.boolean(),
  revoked: z.boolean(),
  parent_revoked: z.boolean(),
  before: z.boolean(),
  agent_id: z.string(),
  session_id: z.string(),
});

describe('revocations in a race with other calls', function () {
  this.timeout(240_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  /** The rows after the race; `before`: made before the revocation, by the order in which both had the lock. */
  const factsOf = (operatorId: string) =>
    own.context.pool.any(sql.type(Fact)`
      select p.jti, p.agent_id, p.session_id, p.revoked_at is null and p.expires_at > clock_timestamp() as active, p.revoked_at is not null as revoked,
        coalesce((select above.revoked_at is not null from passport_lineages above where above.id = l.parent_lineage_id), false) as parent_revoked,
        made.created_at < (select min(created_at) from audit_events where operator_id = ${operatorId} and action like 'passport%.revoked') as before
      from passports p join passport_lineages l on l.id = p.lineage_id
        join audit_events made on made.target = p.jti and made.action in ('passport.issued', 'passport.delegated', 'passport.refreshed')
      where p.operator_id = ${operatorId}`);

  const kinds = ['revoke', 'revoke-agent', 'revoke-session', 'revoke-all'] as const;

  for (const kind of kinds) {
    it(`${kind}: nothing in its scope is active after the answer, nothing of it verifies, and the count is exact`, async () => {
      let raced = 0;
      for (let round = 0; round < RACE_ROUNDS; round += 1) {
        const world = await treeWorld(own.context);
        const traffic = new Traffic(world);
        for (let made = 0; made < BEFORE; made += 1) await traffic.issue();
        const [{ jti, agent: agentIndex }] = traffic.known as [Known];
        const agentId = (world.agents[agentIndex] as { id: string }).id;
        const { session_id: session } = await own.context.pool.one(sql.type(z.object({ session_id: z.string() }))`
          select session_id from passports where jti = ${jti}`);
        const running = Array.from({ length: CALLERS }, () => traffic.run());
        const start = CALLERS + Math.floor(Math.random() * 60);
        while (traffic.calls < start) await breathe();

        const count = await (async () => {
          if (kind === 'revoke') return (await world.revoke(jti)) + 1;
          if (kind === 'revoke-agent') return await world.revokeScope({ scope: 'agent', id: agentId });
          if (kind === 'revoke-session') return await world.revokeScope({ scope: 'session', id: session });
          return await world.revokeScope({ scope: 'operator', id: world.operatorId });
        })();
        traffic.revoked = true;
        const until = traffic.calls + 2 * CALLERS;
        while (traffic.calls < until) await breathe();
        traffic.stopped = true;
        await Promise.all(running);

        const facts = await factsOf(world.operatorId);
        const inScope = {
          revoke: () => false, // the named lineage is recognised by its rows below
          'revoke-agent': (fact: z.infer<typeof Fact>) => fact.agent_id === agentId,
          'revoke-session': (fact: z.infer<typeof Fact>) => fact.session_id === session,
          'revoke-all': () => true,
        }[kind];
        assert.equal(facts.filter(({ revoked }) => revoked).length, count, 'the count is that of the rows');
        for (const fact of facts) {
          if (fact.before && inScope(fact))
            assert(!fact.active, `${fact.jti} was there before the revocation and is active`);
          if (fact.parent_revoked) assert(!fact.active, `${fact.jti} is active below a revoked parent`);
        }
        assert.equal(facts.find((fact) => fact.jti === jti)?.revoked, true);
        const revoked = new Set(facts.filter((fact) => fact.revoked).map((fact) => fact.jti));
        for (const look of traffic.looks) {
          if (look.after && revoked.has(look.jti))
            assert.notEqual(look.verdict, 'valid', `${look.jti} verified after its revocation was answered`);
          if (!revoked.has(look.jti)) assert.equal(look.verdict, 'valid');
        }
        for (const { token, jti: known } of traffic.known)
          assert.equal((await world.verify(token)) === 'valid', !revoked.has(known));
        assert.deepEqual(
          [...traffic.outcomes].filter((code) => !['PASSPORT_REVOKED', 'DELEGATION_DEPTH_EXCEEDED'].includes(code)),
          [],
        );
        raced += traffic.looks.filter((look) => look.after).length;
      }
      assert(raced > RACE_ROUNDS, 'verifications came after revocations');
    });
  }

  it('a review that blocks its agent: nothing below is active after the answer, the agent gets nothing more, and the count is exact', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const world = await treeWorld(own.context);
      const { id: barred } = world.agents.find(({ accountability }) => accountability === 'enforced') as { id: string };
      const { id: other } = world.agents.find(({ accountability }) => accountability === 'standard') as { id: string };
      const root = signed(await world.issue({ agent_id: barred }));
      const below = [
        signed(await world.delegate({ parent_passport_token: root.token, child_agent_id: other, scopes: [] })),
      ];
      const call = (operation: string) => callOf(world.operatorId, operation);
      // A checkout of now ends the passports by itself; reviews of a release before it are of passports that still run.
      const review = newId('chko');
      await own.context.pool.query(sql.type(z.object({}))`
        insert into checkouts (id, lineage_id, session_id, operator_id, agent_id, jti, missed, created_at, review_status, risk)
        select ${review}, lineage_id, session_id, operator_id, agent_id, jti, true, clock_timestamp(), 'pending', 'clean'
        from passports where jti = ${root.jti}`);

      let calls = 0;
      let stopped = false;
      const refused = new Set<string>();
      const learn = (outcome: Outcome<SignedPassport>): void =>
        void (typeof outcome === 'string' ? refused.add(outcome) : below.push(outcome));
      const traffic = async (): Promise<void> => {
        for (; !stopped; calls += 1) {
          const { token } = below[Math.floor(Math.random() * below.length)] as SignedPassport;
          if (calls % 3 === 0) {
            const issued = await world.issue({ agent_id: barred });
            if (typeof issued === 'string') refused.add(issued);
          } else if (calls % 3 === 1) learn(await world.refresh({ token }));
          else learn(await world.delegate({ parent_passport_token: token, child_agent_id: other, scopes: [] }));
          await breathe();
        }
      };
      const running = Array.from({ length: CALLERS }, traffic);
      while (calls < CALLERS + round) await breathe();
      const { body: decision } = await decideReview(own.context, call('decidePassportReview'), {
        checkoutId: review,
        decision: { decision: 'blocked', block_future: true },
      });
      const until = calls + 2 * CALLERS;
      while (calls < until) await breathe();
      stopped = true;
      await Promise.all(running);

      for (const { token } of [root, ...below]) assert.notEqual(await world.verify(token), 'valid');
      assert.equal(decision.revoked_count, below.length + 1);
      const after = await own.context.pool.any(sql.type(z.object({ target: z.string() }))`
        select issued.target from audit_events issued join passports p on p.jti = issued.target
        where issued.action = 'passport.issued' and p.agent_id = ${barred}
          and issued.created_at > (select created_at from audit_events where action = 'agent.blocked' and target = ${barred})`);
      assert.deepEqual(after, []);
      assert.deepEqual(
        [...refused].filter(
          (code) => !['AGENT_BLOCKED', 'PASSPORT_REVOKED', 'DELEGATION_DEPTH_EXCEEDED'].includes(code),
        ),
        [],
      );
    }
  });

  it('revocations of overlapping scopes in parallel count each passport once', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const world = await treeWorld(own.context);
      const traffic = new Traffic(world);
      for (let made = 0; made < BEFORE; made += 1) await traffic.issue();
      const running = Array.from({ length: CALLERS }, () => traffic.run());
      while (traffic.calls < 3 * CALLERS) await breathe();
      const named = traffic.known.slice(0, 6).map(({ jti }) => jti);
      // Each has a reason of its own, so that the rows show which call revoked them.
      const scopes = [
        ...world.agents.map(({ id }) => ({ scope: 'agent' as const, id })),
        { scope: 'operator' as const, id: world.operatorId },
      ];
      const counts = new Map(
        await Promise.all([
          ...named.map(async (jti) => [jti, await world.revoke(jti, jti)] as const),
          ...scopes.map(async (scope) => [scope.id, await world.revokeScope(scope, scope.id)] as const),
        ]),
      );
      traffic.stopped = true;
      await Promise.all(running);
      const rows = await own.context.pool.any(sql.type(z.object({ reason: z.string(), jti: z.string() }))`
        select revoke_reason as reason, jti from passports where operator_id = ${world.operatorId} and revoked_at is not null`);
      for (const [reason, count] of counts) {
        assert.equal(count, rows.filter((row) => row.reason === reason && row.jti !== reason).length, `of ${reason}`);
      }
      assert(rows.length > BEFORE);
    }
  });
});
