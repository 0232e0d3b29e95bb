import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serviceCaller } from '../../../src/commands/caller.ts';
import { createAuthentication } from '../../../src/http/auth/authentication.ts';
import type { Authenticator, Credential } from '../../../src/http/auth/credential.ts';
import { openShell, type Shell } from '../support/shell.ts';

const credential = (validForMs: number): Credential => ({
  caller: serviceCaller,
  suspended: false,
  blocked: false,
  validForMs,
});
const unused: Authenticator = { authenticate: () => undefined };

describe('What is remembered of credentials', () => {
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
        // The first ends when the second request has come; those after it at once.
        if (begun.length > 1) look.resolve(credential(validForMs));
        return look.promise;
      });
      const both = [authenticate({ authorization: 'Bearer shown' }), authenticate({ authorization: 'Bearer shown' })];
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
    await authenticate({ authorization: shown(0) });
    await authenticate({ authorization: shown(0) });
    assert.equal(looks, 1, 'it is remembered, for a second');
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let spaces = 1; spaces <= 4_000; spaces += 1) await authenticate({ authorization: shown(spaces) });
    collect();
    const kilobytes = (process.memoryUsage().heapUsed - before) / 1_024;
    assert(kilobytes < 8_000, `4,000 of them, which have 40,000 KB as text, took ${Math.round(kilobytes)} KB`);
  });
});
