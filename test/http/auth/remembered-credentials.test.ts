import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ParameterizedContext } from 'koa';
import { serviceCaller } from '../../../src/commands/caller.ts';
import {
  authentication as middlewareOf,
  createAuthentication,
  UNCOUNTED,
} from '../../../src/http/auth/authentication.ts';
import type { Authenticator, Credential } from '../../../src/http/auth/credential.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { createRateLimits } from '../../../src/http/rate-limit.ts';
import type { Authenticated } from '../../../src/http/state.ts';
import { openShell, type Shell } from '../support/shell.ts';

const credential = (validForMs: number): Credential => ({
  caller: serviceCaller,
  suspended: false,
  blocked: false,
  validForMs,
});
const unused: Authenticator = { authenticate: () => undefined };

describe('The memory of credentials', () => {
  let shell: Shell;
  before(async () => {
    shell = await openShell({ routes: [] });
  });
  after(() => shell.close());

  const authentication = (authenticate: Authenticator['authenticate']) =>
    createAuthentication(shell.context, { bearers: [{ authenticate }], session: unused });

  for (const [what, validForMs, looks] of [
    ['is looked up once for two who show it at once', 1_000, 1],
    ['is looked up for each of two at once, where it must be seen anew', 0, 2],
  ] as const) {
    it(what, async () => {
      const begun: PromiseWithResolvers<Credential>[] = [];
      const { authenticate } = authentication(() => {
        const look = Promise.withResolvers<Credential>();
        begun.push(look);
        // The first ends when the second request has come; those after it immediately.
        if (begun.length > 1) look.resolve(credential(validForMs));
        return look.promise;
      });
      const both = [
        authenticate({ authorization: 'Bearer shown' }, UNCOUNTED),
        authenticate({ authorization: 'Bearer shown' }, UNCOUNTED),
      ];
      await setImmediate();
      begun[0]?.resolve(credential(validForMs));
      await Promise.all(both);
      assert.equal(begun.length, looks);
    });
  }

  it('takes no more room for a key behind thousands of spaces', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let looks = 0;
    const { authenticate } = authentication(() => {
      looks += 1;
      return Promise.resolve(credential(60_000));
    });
    const shown = (spaces: number): string => Buffer.from(`Bearer${' '.repeat(8_000 + spaces)}key`).toString('latin1');
    await authenticate({ authorization: shown(0) }, UNCOUNTED);
    await authenticate({ authorization: shown(0) }, UNCOUNTED);
    assert.equal(looks, 1, 'it is remembered, for a second');
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let spaces = 1; spaces <= 4_000; spaces += 1) await authenticate({ authorization: shown(spaces) }, UNCOUNTED);
    collect();
    const kilobytes = (process.memoryUsage().heapUsed - before) / 1_024;
    assert(kilobytes < 8_000, `4,000 of them, which have 40,000 KB as text, took ${Math.round(kilobytes)} KB`);
  });

  describe('of an address over its limit', () => {
    const limits = () =>
      createRateLimits({ rateLimitPerMinute: 100, anonymousRateLimitPerMinute: 3, trustProxyHops: 0 });

    /** Sends requests from one address through the middleware, and counts the look-ups that they cost. */
    const doorOf = (isGood: (token: string) => boolean) => {
      let looks = 0;
      const bearer: Authenticator = {
        authenticate: (token) => {
          looks += 1;
          return Promise.resolve(isGood(token) ? credential(0) : null);
        },
      };
      const cookies: Authenticator = {
        authenticate: () => {
          looks += 1;
          return Promise.resolve(null);
        },
      };
      const known = createAuthentication(shell.context, { bearers: [bearer], session: cookies });
      const door = middlewareOf(known, limits());
      const knock = async (headers: Record<string, string>): Promise<string> => {
        const ctx = {
          req: { headers, socket: { remoteAddress: '192.0.2.1' } },
          state: { route: { audience: 'operator' } },
          set: () => {},
          res: { setHeaders: () => {} },
        } as unknown as ParameterizedContext<Authenticated>;
        try {
          await door(ctx, async () => {});
          return ctx.state.credential === null ? 'unknown' : 'known';
        } catch (error) {
          return error instanceof CarnetError ? error.code : String(error);
        }
      };
      return { knock, looks: () => looks };
    };
    const shown = (token: string) => ({ authorization: `Bearer ${token}` });

    it('wrong credentials cost no look-up', async () => {
      const { knock, looks } = doorOf(() => false);
      const seen = [];
      for (let at = 0; at < 6; at += 1) seen.push(await knock(shown(`wrong-${at}`)));
      assert.deepEqual(seen, [...Array<string>(3).fill('unknown'), ...Array<string>(3).fill('RATE_LIMITED')]);
      assert.equal(looks(), 3);
      assert.equal(await knock({ cookie: `carnet_session=${'A'.repeat(43)}` }), 'RATE_LIMITED');
      assert.equal(looks(), 3);
    });

    it('many in parallel cost no more look-ups than the limit', async () => {
      const { knock, looks } = doorOf(() => false);
      await Promise.all(Array.from({ length: 50 }, (_, at) => knock(shown(`wrong-${at}`))));
      assert.equal(looks(), 3);
    });

    it('a credential that was good lately is let in all the same, and one that is good is not counted', async () => {
      const { knock } = doorOf((token) => token.startsWith('good'));
      for (let at = 0; at < 10; at += 1) assert.equal(await knock(shown('good-1')), 'known');
      for (let at = 0; at < 10; at += 1) assert.equal(await knock(shown(`good-${at}`)), 'known');
      for (let at = 0; at < 4; at += 1) await knock(shown(`wrong-${at}`));
      assert.equal(await knock(shown('good-1')), 'known');
      assert.equal(await knock(shown('good-never-seen')), 'RATE_LIMITED');
    });

    it('each cookie that is tried counts', async () => {
      const { knock, looks } = doorOf(() => false);
      const cookie = Array.from({ length: 9 }, (_, at) => `carnet_session=${String(at).repeat(43)}`).join('; ');
      assert.equal(await knock({ cookie }), 'RATE_LIMITED');
      assert.equal(looks(), 3);
    });
  });
});
