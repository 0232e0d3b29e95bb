import assert from 'node:assert/strict';
import { z } from 'zod';
import type { AnyRoute } from '../../../src/http/route.ts';
import { routes } from '../../../src/process/routes.ts';
import { unique } from '../../support/factories.ts';
import { assertProblem, assertStatus, requester, type Reply, type Requester } from '../../support/service.ts';
import { openOwner, type Belongings, type Kind, type Owner } from './support/belongings.ts';
import { callers, openWorld, type Who, type World } from './support/callers.ts';
import { isForPlatform, isOpen, lineFor, outcomeOf } from './support/expectations.ts';
import * as ids from './support/foreign-ids.ts';
import { codeFor } from './support/session.ts';

const TABLES = 'test/http/auth/support/foreign-ids.ts';
const methodOf = ({ method }: AnyRoute): string => method.toUpperCase();
const nameOf = (route: AnyRoute): string => `${methodOf(route)} ${route.path}`;
const isId = (member: string): boolean => /(_ids?|token|jti|refs?|intents)$/.test(member);
/** Those that look at who asks; the platform sees the things of all. */
const guarded = routes.filter((route) => {
  const line = lineFor(methodOf(route), route.path);
  return !isOpen(line) && !isForPlatform(line);
});

/** Nothing is foreign to them. */
const platform: ReadonlySet<Who> = new Set(['the platform key', "a platform owner's session"]);

describe('the ids of another operator', () => {
  let world: World;
  let send: Requester;
  let victim: Owner;
  let attacker: Owner;
  let untouched: string[];

  before(async function () {
    this.timeout(300_000);
    world = await openWorld();
    send = requester(null, world.baseUrl);
    victim = await openOwner(world.baseUrl);
    attacker = await openOwner(world.baseUrl);
    untouched = await ofVictim();
  });
  after(() => world.close());

  const call = (
    route: AnyRoute,
    { path, headers, body }: { path: string; headers: Record<string, string>; body: unknown },
  ): Promise<Reply> =>
    route.method === 'get' || route.method === 'delete'
      ? send[route.method](path, headers)
      : send[route.method](path, body, headers);
  const bodyOf = (route: AnyRoute): unknown => ids.bodies[nameOf(route)] ?? route.example ?? {};
  const admittedTo = (route: AnyRoute): Who[] => {
    const line = lineFor(methodOf(route), route.path);
    return callers.filter((who) => !platform.has(who) && outcomeOf(line, who, methodOf(route)) === 'admitted');
  };

  const isForKeys = (route: AnyRoute): boolean => admittedTo(route).includes('an admin key');

  describe('in a path are like ids of nothing:', () => {
    for (const route of guarded.filter(({ path }) => path.includes('/:'))) {
      const seen = ids.seenByAll[nameOf(route)];
      it(`${nameOf(route)} is ${seen ?? ids.otherwise[nameOf(route)] ?? 'NOT_FOUND'}`, async () => {
        const kinds = kindsIn(route.path);
        for (const who of admittedTo(route)) {
          const at = (path: string): Promise<Reply> =>
            call(route, { path, headers: world.headers[who], body: bodyOf(route) });
          const path = withIds(
            route.path,
            kinds.map((kind) => victim.has[kind]),
          );
          const foreign = await at(path);
          assertOutcome(foreign, seen ?? ids.otherwise[nameOf(route)] ?? 'NOT_FOUND', who);
          if (seen !== undefined) continue;
          const nothing = await at(
            withIds(
              route.path,
              kinds.map((kind) => ids.madeUp[kind]),
            ),
          );
          assertAlike(foreign, nothing, { kinds, who });
        }
      });
    }

    // By a key: tests of what people alone may call have this case of their own.
    for (const route of guarded.filter((one) => one.path.split('/:').length > 2 && isForKeys(one))) {
      it(`${nameOf(route)}, with only one of them foreign`, async () => {
        const kinds = kindsIn(route.path);
        const headers = { authorization: `Bearer ${attacker.as.key}` };
        const own: Partial<Belongings> = attacker.has;
        for (const foreignKind of kinds) {
          const at = (other: Belongings): Promise<Reply> => {
            const path = withIds(
              route.path,
              kinds.map((kind) => (kind === foreignKind ? other : own)[kind] ?? ''),
            );
            return call(route, { path, headers, body: bodyOf(route) });
          };
          const [foreign, nothing] = [await at(victim.has), await at(ids.madeUp)];
          assertOutcome(foreign, 'NOT_FOUND', 'an admin key');
          assertAlike(foreign, nothing, { kinds, who: 'an admin key' });
        }
      });
    }
  });

  describe('in a body are like ids of nothing:', () => {
    for (const { line, member, body, outcome } of ids.bodyIds) {
      it(`${line}, ${member} is ${outcome}`, async () => {
        const route = routes.find((candidate) => nameOf(candidate) === line);
        assert(route !== undefined, `there is no ${line}`);
        const kind = kindOf(member);
        const headers = { authorization: `Bearer ${attacker.as.key}` };
        // The thing that the path names is the caller's own, or a skill that everybody may invoke.
        const inPath: Belongings = { ...attacker.has, skill: victim.activeSkill };
        const kinds = route.path.includes(':') ? kindsIn(route.path) : [];
        const path = withIds(
          route.path,
          kinds.map((named) => inPath[named]),
        );
        const foreign = await call(route, { path, headers, body: body(victim.has[kind], attacker) });
        const nothing = await call(route, { path, headers, body: body(ids.madeUp[kind], attacker) });
        if (outcome === 'named') assertProblem(foreign, 'VALIDATION_ERROR', pathOf(foreign, member));
        else assertOutcome(foreign, outcome, 'an admin key');
        assertAlike(foreign, nothing, { kinds: [kind], who: 'an admin key' });
      });
    }

    it('and so are the passports of another operator, which delegate and refresh nothing', async () => {
      const parent = { parent_passport_token: victim.token, child_agent_id: attacker.has.agent, scopes: [] };
      assertProblem(await attacker.as.post('/v1/passports/delegate', parent), 'NOT_FOUND');
      assertProblem(await attacker.as.post('/v1/passports/refresh', { token: victim.token }), 'NOT_FOUND');
    });

    it('and operators, to somebody who signs in', async () => {
      const signIn = async (operatorId: string): Promise<Reply> => {
        const email = `${unique('member')}@example.test`;
        assertStatus(await attacker.as.post('/v1/members', { email, role: 'member' }), 201);
        const code = await codeFor(world, email);
        return send.post('/v1/dashboard/sessions/verify', { email, code, operator_id: operatorId });
      };
      const [foreign, nothing] = [await signIn(victim.has.operator), await signIn(ids.madeUp.operator)];
      assertProblem(foreign, 'NOT_FOUND');
      assertAlike(foreign, nothing, { kinds: ['operator'], who: 'a member' });
    });

    it('and in the header X-Governance-Approval', async () => {
      const path = `/v1/agents/${attacker.has.agent}`;
      const showing = (approval: string): Promise<Reply> =>
        attacker.as.patch(path, { accountability: 'logged' }, { 'x-governance-approval': approval });
      const [foreign, nothing] = [await showing(victim.has.approval), await showing(ids.madeUp.approval)];
      assertProblem(foreign, 'GOVERNANCE_APPROVAL_REQUIRED');
      assertAlike(foreign, nothing, { kinds: [], who: 'an admin key' });
    });

    for (const route of guarded.filter(({ body }) => body !== undefined)) {
      const strangers = membersOf(route.body).filter((member) => isId(member) && ids.noIds[member] === undefined);
      if (strangers.length === 0 || ids.named[nameOf(route)] !== undefined) continue;
      it(`${nameOf(route)} has each of its ids tried`, () => {
        const tried = new Set(ids.bodyIds.filter(({ line }) => line === nameOf(route)).map(({ member }) => member));
        assert.deepEqual(
          strangers.filter((member) => !tried.has(member)),
          [],
          `add them to bodyIds of ${TABLES}, or to noIds if they name nothing of an operator`,
        );
      });
    }
  });

  describe('in a query are like ids of nothing:', () => {
    for (const route of guarded.filter(({ query }) => query !== undefined)) {
      for (const member of membersOf(route.query).filter((name) => isId(name) || name === 'issuer')) {
        it(`${nameOf(route)}?${member}=`, async () => {
          const kind = kindOf(member);
          for (const who of admittedTo(route)) {
            const at = (id: string): Promise<Reply> => send.get(`${route.path}?${member}=${id}`, world.headers[who]);
            const [foreign, nothing] = [await at(victim.has[kind]), await at(ids.madeUp[kind])];
            assertOutcome(foreign, 200, who);
            if (ids.seenByAll[nameOf(route)] === undefined) assertAlike(foreign, nothing, { kinds: [kind], who });
          }
        });
      }
    }
  });

  // Mocha comes to the cases of a suite before it comes to the suites in it: this one is of a suite of its own, the last.
  describe('in all of these', () => {
    it('did nothing to what is theirs', async () => {
      assert.deepEqual(await ofVictim(), untouched);
    });
  });

  /** Everything that the other operator has, as its key shows it; what people alone read is content, which no call changes. */
  function ofVictim(): Promise<string[]> {
    const shown = guarded.filter(
      (route) =>
        route.method === 'get' &&
        route.path.includes('/:') &&
        isForKeys(route) &&
        !/\/(?:matches|suggest|similar)$/.test(route.path), // skills of others, which their tests publish meanwhile
    );
    return Promise.all(
      shown.map(async ({ path }) => {
        const reply = await victim.as.get(
          withIds(
            path,
            kindsIn(path).map((kind) => victim.has[kind]),
          ),
        );
        assertStatus(reply, 200);
        // The part of a bundle about the newest tree, and the time of the answer, change by themselves.
        return reply.text.replace(/"latest":\{[^}]*\}|"as_of":"[^"]*"/g, '');
      }),
    );
  }

  /** The same answer to the byte, but for the ids that were requested, the request's own, and how much of the rate limit is left. */
  function assertAlike(foreign: Reply, nothing: Reply, { kinds, who }: { kinds: Kind[]; who: string }): void {
    assert.deepEqual(bare(foreign, victim.has, kinds), bare(nothing, ids.madeUp, kinds), `to ${who}`);
  }
});

function bare({ status, headers, text }: Reply, of: Belongings, kinds: Kind[]): unknown {
  const kept = new Headers(headers);
  for (const name of ['date', 'x-request-id', 'ratelimit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    kept.delete(name);
  const anonymous = kinds.reduce((shown, kind) => shown.replaceAll(of[kind], `<${kind}>`), text);
  return { status, headers: [...kept], text: anonymous.replace(/"request_id":"[^"]*"/, '') };
}

function assertOutcome(reply: Reply, outcome: string | number, who: Who): void {
  const found = typeof outcome === 'number' ? reply.status : reply.body.code;
  assert.equal(found, outcome, `to ${who} it is ${reply.status} ${reply.text}`);
}

function kindOf(member: string): Kind {
  const kind = ids.memberIds[member];
  assert(kind !== undefined, `say in memberIds of ${TABLES} what ${member} is the id of`);
  return kind;
}

function kindsIn(path: string): Kind[] {
  const found = ids.pathIds.find(([start]) => path.startsWith(start));
  assert(found !== undefined, `say in pathIds of ${TABLES} what the id in ${path} is of`);
  return found.slice(1) as Kind[];
}

/** Finds the place, among the faults that are named, that ends in this member, or in an item of it. */
function pathOf({ body }: Reply, member: string): string {
  const paths = ((body.errors ?? []) as { path: string }[]).map(({ path }) => path);
  return paths.find((path) => path.replace(/\.\d+$/, '').endsWith(member)) ?? member;
}

/** The path with each of its parameters filled, in order. */
function withIds(path: string, values: string[]): string {
  const left = [...values];
  return path.replace(/:\w+/g, () => left.shift() ?? '');
}

/** The names of all members that a schema has, at any depth. */
function membersOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('properties' in node) for (const name of Object.keys(node.properties as object)) names.add(name);
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return [...names];
}
