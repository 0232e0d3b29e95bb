import assert from 'node:assert/strict';
import { ErrorCodes, isErrorCode } from '../../../src/errors/codes.ts';
import type { AnyRoute } from '../../../src/http/route.ts';
import { routes } from '../../../src/process/routes.ts';
import { requester, type Reply, type Requester } from '../../support/service.ts';
import { callers, openWorld, type Who, type World } from './support/callers.ts';
import { lineFor, lines, outcomeOf, type Outcome } from './support/expectations.ts';

/** The codes by which a credential, as opposed to the request, is refused. */
const refusals = new Set([
  'UNAUTHENTICATED',
  'ADMIN_REQUIRED',
  'AGENT_BLOCKED',
  'AGENT_CREDENTIAL_FORBIDDEN',
  'DASHBOARD_SESSION_REQUIRED',
  'OPERATOR_SCOPE_REQUIRED',
  'OPERATOR_SUSPENDED',
  'ORIGIN_FORBIDDEN',
  'PARTNER_SCOPE',
]);
/** No route takes it, so a caller that is let in gets 400 and changes nothing; and a role is judged before a body. */
const strange = { no_route_takes_this: true };
/** The id of nothing, of any kind. */
const NOTHING = 'x_00000000000000000000000000';

const methodOf = ({ method }: AnyRoute): string => method.toUpperCase();
const addressesOf = ({ path, alias }: AnyRoute): string[] => (alias === undefined ? [path] : [path, alias]);
/** Signing out last: the sessions are needed until then. */
const isLast = ({ operation }: AnyRoute): number => ['endOtherSessions', 'signOut'].indexOf(operation);
const inOrder = routes.toSorted((one, other) => isLast(one) - isLast(other));

describe('every route by every credential', () => {
  let world: World;
  let send: Requester;

  before(async function () {
    this.timeout(300_000);
    world = await openWorld();
    send = requester(null, world.baseUrl);
  });
  after(() => world.close());

  const call = (route: AnyRoute, at: string, who: Who): Promise<Reply> => {
    const path = at.replace(/:\w+/g, NOTHING);
    const headers = world.headers[who];
    if (route.method === 'get' || route.method === 'delete') return send[route.method](path, headers);
    return send[route.method](path, strange, headers);
  };

  for (const [route, path] of inOrder.flatMap((one) => addressesOf(one).map((address) => [one, address] as const))) {
    const method = methodOf(route);
    it(`${method} ${path}`, async () => {
      const line = lineFor(method, path);
      const expected: Partial<Record<Who, Outcome>> = {};
      const found: Partial<Record<Who, Outcome>> = {};
      for (const who of callers) {
        expected[who] = outcomeOf(line, who, method);
        found[who] = outcome(await call(route, path, who));
      }
      assert.deepEqual(found, expected);
    });
  }

  it('is expected to be answered by a line that some route still needs', () => {
    const needed = new Set(routes.flatMap((route) => addressesOf(route).map((path) => lineFor(methodOf(route), path))));
    assert.deepEqual(
      lines().filter((line) => !needed.has(line)),
      [],
    );
  });
});

function outcome(reply: Reply): Outcome {
  const code = String(reply.body.code);
  assert(reply.status < 500, `a fault of the service: ${reply.text}`);
  if (!refusals.has(code)) {
    // A webhook is known by its signature: no matter which credential comes with it is let through to that.
    assert(reply.status !== 401 || code === 'INVALID_SIGNATURE', reply.text);
    return 'admitted';
  }
  assert(isErrorCode(code));
  assert.equal(reply.status, ErrorCodes[code][0]);
  return code;
}
