import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import type { SignedPassport } from '../../src/passports/schema.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { roundsOf } from '../support/cases.ts';
import { payloadOf } from './holders.ts';
import { TreeModel, type Lineage, type ModelPassport, type ModelService } from './tree-model.ts';
import { SCOPES, treeWorld, type Outcome, type TreeWorld } from './tree-world.ts';

const pick = fc.nat({ max: 1_000 });
const ttl = fc.constantFrom(undefined, 60, 300, 900, 3_600);
const scopeRequest = fc.record({
  connection: fc.nat({ max: 1 }),
  scopes: fc.subarray([...SCOPES, '*'], { minLength: 1 }),
  bound: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  sources: fc.option(fc.subarray([0, 1]), { nil: undefined }),
});
const scopeRequests = fc.uniqueArray(scopeRequest, { selector: ({ connection }) => connection, maxLength: 2 });
type ScopeRequest = typeof scopeRequest extends fc.Arbitrary<infer One> ? One : never;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('issue' as const),
      agent: fc.nat({ max: 3 }),
      ttl,
      scopeRequests: fc.option(scopeRequests, { nil: undefined }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('delegate' as const),
      of: pick,
      agent: fc.nat({ max: 3 }),
      ttl,
      scopeRequests,
    }),
  },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('refresh' as const), of: pick, ttl }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('revoke' as const), of: pick }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('revoke-agent' as const), agent: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('revoke-session' as const), of: pick }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('expire' as const), of: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('regrant' as const),
      agent: fc.nat({ max: 3 }),
      connection: fc.nat({ max: 1 }),
      scopes: fc.subarray([...SCOPES]),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const MODES = ['standard', 'logged', 'enforced'] as const;
const leastOf = (bounds: readonly number[]): number => Math.min(Infinity, ...bounds);
const boundsIn = (constraints: readonly { value: unknown }[]): number[] =>
  constraints.map(({ value }) => value as number);
const now = (): number => Math.floor(Date.now() / 1_000);

/** Returns what a request gets within what is allowed; undefined: it requests more. */
function narrowedTo(
  world: TreeWorld,
  allowed: ReadonlyMap<string, ModelService>,
  wanted: ScopeRequest[],
): Map<string, ModelService> | undefined {
  const services = new Map<string, ModelService>();
  for (const { connection, scopes, bound, sources } of wanted) {
    const id = world.connections[connection] as string;
    const above = allowed.get(id);
    if (above === undefined || scopes.some((scope) => scope !== '*' && !above.scopes.includes(scope))) return undefined;
    const names = sources?.map((index) => world.connections[index] as string);
    if (names?.some((name) => !above.sources.includes(name)) === true) return undefined;
    // Repeating a limit that the parent has beside a tighter one requests nothing more: both still apply.
    const bounds = new Set(above.bounds);
    if (bound !== undefined && bound > leastOf(above.bounds) && !bounds.has(bound)) return undefined;
    if (bound !== undefined) bounds.add(bound);
    services.set(id, {
      scopes: scopes.includes('*') ? above.scopes : scopes,
      sources: names ?? above.sources,
      bounds: [...bounds],
    });
  }
  return services;
}

const bodyOf = (world: TreeWorld, wanted: ScopeRequest[]) =>
  wanted.map(({ connection, scopes, bound, sources }) => ({
    service_connection_id: world.connections[connection] as string,
    scopes: [...scopes],
    ...(bound !== undefined && { constraints: [{ param: 'n', op: 'lte' as const, value: bound }] }),
    ...(sources !== undefined && { allow_data_from: sources.map((index) => world.connections[index] as string) }),
  }));

/** Runs steps against the service and the model in parallel. */
class Walk {
  readonly #world: TreeWorld;
  readonly #model = new TreeModel();

  constructor(world: TreeWorld) {
    this.#world = world;
  }

  async take(taken: Step): Promise<void> {
    if (taken.act === 'issue') return await this.#issue(taken);
    if (taken.act === 'revoke-agent') return await this.#revokeAgent(taken.agent);
    if (taken.act === 'regrant') return await this.#regrant(taken);
    const { passports } = this.#model;
    const passport = passports[taken.of % Math.max(1, passports.length)];
    if (passport === undefined) return;
    if (taken.act === 'delegate') await this.#delegate(passport, taken);
    else if (taken.act === 'refresh') await this.#refresh(passport, taken.ttl);
    else if (taken.act === 'revoke') await this.#revoke(passport);
    else if (taken.act === 'revoke-session') await this.#revokeSession(passport.lineage.session);
    else await this.#expire(passport);
  }

  /** Every token is as the model has it, and no descendant has more than any ancestor. */
  async check(): Promise<void> {
    for (const { token, lineage, status, exp } of this.#model.passports) {
      assert.equal(await this.#world.verify(token), status);
      const { svcns } = payloadOf(token);
      for (let above = lineage.parent; above !== null; above = above.parent) {
        assert(exp <= above.latest, 'outlives an ancestor');
        assert(MODES.indexOf(svcns.accountability) >= MODES.indexOf(above.mode), 'is held to less than an ancestor');
        for (const { connection_id: id, scopes, allow_data_from: sources, constraints } of svcns.services) {
          const ancestor = above.services.get(id);
          assert(ancestor !== undefined, 'has a service that an ancestor has not');
          assert(
            scopes.every((scope) => ancestor.scopes.includes(scope)) &&
              sources.every((source) => ancestor.sources.includes(source)),
          );
          assert(leastOf(boundsIn(constraints)) <= leastOf(ancestor.bounds), 'has a looser limit than an ancestor');
        }
      }
    }
  }

  #granted(agent: number): Map<string, ModelService> {
    const { connections } = this.#world;
    const active = connections.filter((id) => this.#model.grantedTo(this.#world, agent, id).length > 0);
    return new Map(
      active.map((id) => [
        id,
        { scopes: [...this.#model.grantedTo(this.#world, agent, id)], sources: active, bounds: [] },
      ]),
    );
  }

  async #issue({ agent, ttl: seconds, scopeRequests: wanted }: Step & { act: 'issue' }): Promise<void> {
    const { agents } = this.#world;
    const holder = agents[agent] as TreeWorld['agents'][number];
    const granted = this.#granted(agent);
    const services = wanted === undefined ? granted : narrowedTo(this.#world, granted, wanted);
    const outcome = await this.#world.issue({
      agent_id: holder.id,
      ...(seconds !== undefined && { ttl_seconds: seconds }),
      ...(wanted !== undefined && { scopes: bodyOf(this.#world, wanted) }),
    });
    if (services === undefined) {
      assert(outcome === 'SCOPE_NOT_GRANTED' || outcome === 'SCOPE_ESCALATION', JSON.stringify(outcome));
      return;
    }
    const { iat, exp, svcns } = payloadOf(tokenOf(outcome));
    assert.equal(exp - iat, seconds ?? 900);
    this.#learn(outcome, {
      agent,
      rootAgent: agent,
      parent: null,
      depth: 0,
      session: svcns.session_id,
      mode: holder.accountability,
      services,
      revoked: false,
      latest: exp,
    });
  }

  async #delegate(
    parent: ModelPassport,
    { agent, ttl: seconds, scopeRequests: wanted }: Step & { act: 'delegate' },
  ): Promise<void> {
    const { agents } = this.#world;
    const child = agents[agent] as TreeWorld['agents'][number];
    const above = parent.lineage;
    const services = narrowedTo(this.#world, above.services, wanted);
    const requestedAt = now();
    const outcome = await this.#world.delegate({
      parent_passport_token: parent.token,
      child_agent_id: child.id,
      scopes: bodyOf(this.#world, wanted),
      ...(seconds !== undefined && { ttl_seconds: seconds }),
    });
    const ended = this.#model.ended(parent);
    if (ended !== null) return assert.equal(outcome, ended);
    if (above.depth === 4) return assert.equal(outcome, 'DELEGATION_DEPTH_EXCEEDED');
    if (services === undefined) return assert.equal(outcome, 'SCOPE_ESCALATION');
    if (outcome === 'TTL_EXCEEDS_PARENT') return assert(now() + Number(seconds) > parent.exp, 'it would have fitted');
    const { iat, exp, svcns } = payloadOf(tokenOf(outcome));
    assert(seconds === undefined || requestedAt + seconds <= parent.exp, 'it cannot have fitted');
    assert.equal(exp, seconds === undefined ? Math.min(iat + 900, parent.exp) : iat + seconds);
    assert.deepEqual(
      [svcns.session_id, svcns.delegation_depth, svcns.chain.at(-1)],
      [above.session, above.depth + 1, parent.jti],
    );
    const mode = MODES[Math.max(MODES.indexOf(child.accountability), MODES.indexOf(above.mode))] as Lineage['mode'];
    this.#learn(outcome, {
      agent,
      rootAgent: above.rootAgent,
      parent: above,
      depth: above.depth + 1,
      session: above.session,
      mode,
      services,
      revoked: false,
      latest: exp,
    });
  }

  async #refresh(passport: ModelPassport, seconds: number | undefined): Promise<void> {
    const outcome = await this.#world.refresh({
      token: passport.token,
      ...(seconds !== undefined && { ttl_seconds: seconds }),
    });
    const ended = this.#model.ended(passport);
    if (ended !== null) return assert.equal(outcome, ended);
    const { lineage } = passport;
    if (!this.#model.stillGranted(lineage, this.#world)) return assert.equal(outcome, 'SCOPE_NOT_GRANTED');
    const { iat, exp, svcns } = payloadOf(tokenOf(outcome));
    assert.equal(exp, Math.min(iat + (seconds ?? 900), lineage.parent?.latest ?? Infinity));
    assert.deepEqual(svcns, payloadOf(passport.token).svcns);
    lineage.latest = Math.max(lineage.latest, exp);
    this.#learn(outcome, lineage);
  }

  async #revoke(passport: ModelPassport): Promise<void> {
    const others = this.#model.revoke([passport.lineage]).filter((gone) => gone !== passport);
    assert.equal(await this.#world.revoke(passport.jti), others.length);
  }

  async #revokeAgent(agent: number): Promise<void> {
    const gone = this.#model.revoke(this.#model.active((lineage) => lineage.agent === agent));
    assert.equal(
      await this.#world.revokeScope({ scope: 'agent', id: (this.#world.agents[agent] as { id: string }).id }),
      gone.length,
    );
  }

  async #revokeSession(session: string): Promise<void> {
    const gone = this.#model.revoke(this.#model.active((lineage) => lineage.session === session));
    assert.equal(await this.#world.revokeScope({ scope: 'session', id: session }), gone.length);
  }

  async #expire(passport: ModelPassport): Promise<void> {
    await this.#world.expire(passport.jti);
    if (passport.status === 'valid') passport.status = 'expired';
  }

  async #regrant({ agent, connection, scopes }: Step & { act: 'regrant' }): Promise<void> {
    const [{ id: agentId }, id] = [
      this.#world.agents[agent] as { id: string },
      this.#world.connections[connection] as string,
    ];
    await this.#world.regrant(agentId, id, scopes);
    this.#model.granted.set(`${agentId} ${id}`, scopes);
  }

  #learn(outcome: Outcome<SignedPassport>, lineage: Lineage): void {
    const token = tokenOf(outcome);
    const { jti, exp, sub, svcns } = payloadOf(token);
    assert.equal(sub, this.#world.agents[lineage.agent]?.id);
    const shown = svcns.services.map(
      ({ connection_id: id, scopes, allow_data_from: sources, constraints }) =>
        [id, { scopes: scopes.toSorted(), sources: sources.toSorted(), bounds: boundsIn(constraints) }] as const,
    );
    const expected = [...lineage.services].map(
      ([id, { scopes, sources, bounds }]) =>
        [id, { scopes: scopes.toSorted(), sources: sources.toSorted(), bounds }] as const,
    );
    assert.deepEqual(new Map(shown), new Map(expected));
    this.#model.passports.push({ token, jti, lineage, exp, status: 'valid' });
  }
}

function tokenOf(outcome: Outcome<SignedPassport>): string {
  assert(typeof outcome !== 'string', `refused with ${JSON.stringify(outcome)}`);
  return outcome.token;
}

describe('trees of passports', function () {
  this.timeout(240_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  it('agree with a model of the rules, through any sequence of issue, delegate, refresh, revoke, expiry and change of grants', async () => {
    const walks = roundsOf(200, 50);
    let passports = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        const world = await treeWorld(own.context);
        const walk = new Walk(world);
        for (const taken of steps) await walk.take(taken);
        await walk.check();
        const { valid, rows } = await own.context.pool.one(sql.type(z.object({ valid: z.number(), rows: z.number() }))`
          select count(*) filter (where revoked_at is null and expires_at > clock_timestamp()) as valid, count(*) as rows
          from passports where operator_id = ${world.operatorId}`);
        assert.equal(await world.revokeScope({ scope: 'operator', id: world.operatorId }), valid);
        passports += rows;
      }),
      { numRuns: walks },
    );
    assert(passports > 2 * walks, `only ${passports} passports were made`);
  });
});
