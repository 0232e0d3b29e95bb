import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { delegatePassport } from '../../../src/passports/issuing/delegate.ts';
import { issuePassport } from '../../../src/passports/issuing/issue.ts';
import { DelegateBodySchema, IssueBodySchema } from '../../../src/passports/schema.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';

describe('A passport that is signed', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  it('costs one statement where the facts are known, however many agents are above', async () => {
    let calls = 0;
    const pool = new Proxy(own.context.pool, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        return typeof member !== 'function'
          ? member
          : (...args: unknown[]): unknown => {
              calls += 1;
              return Reflect.apply(member, target, args);
            };
      },
    });
    const context = { ...own.context, pool };
    const operator = await newWallet(own.context.pool);
    const agents = [0, 1, 2, 3, 4].map(() => newId('ag'));
    for (const id of agents)
      await run(
        own.context.pool,
        sql.fragment`insert into agents (id, operator_id, name) values (${id}, ${operator}, 'one of a chain')`,
      );
    const issue = () =>
      issuePassport(context, callOf(operator, 'issuePassport'), IssueBodySchema.parse({ agent_id: agents[0] }));
    const delegate = (token: string, agent: string | undefined) =>
      delegatePassport(
        context,
        callOf(operator, 'delegatePassport'),
        DelegateBodySchema.parse({ parent_passport_token: token, child_agent_id: agent, scopes: [] }),
      );
    /** The least of five, since facts are read again each second. */
    const least = async (act: () => Promise<unknown>): Promise<number> => {
      const counts: number[] = [];
      for (let left = 5; left > 0; left -= 1) {
        calls = 0;
        await act();
        counts.push(calls);
      }
      return Math.min(...counts);
    };

    let { token } = (await issue()).body;
    for (const agent of agents.slice(1, 4)) ({ token } = (await delegate(token, agent)).body);
    assert.deepEqual([await least(issue), await least(() => delegate(token, agents[4]))], [1, 1]);
  });
});
