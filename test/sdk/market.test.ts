import assert from 'node:assert/strict';
import {
  Carnet,
  CarnetError,
  InsufficientCredits,
  InvocationFailed,
  PriceChanged,
  RateLimited,
  StillRunning,
  UnclearError,
} from '../../sdk/typescript/src/index.ts';
import { buildOperator, buildSkill, unique, type TestOperator } from '../support/factories.ts';
import { service } from '../support/service.ts';
import { FAULTS, openBadProxy, type BadProxy, type Seen } from './bad-proxy.ts';

const clientOf = ({ key }: TestOperator, baseUrl = service().baseUrl, more = {}): Carnet =>
  new Carnet({ apiKey: key ?? '', baseUrl, ...more });
const rejected = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  );
const isInvoke = ({ path }: Seen): boolean => path.endsWith('/invoke');

describe('market of the SDK in TypeScript', () => {
  let seller: TestOperator;
  let buyer: TestOperator;
  let skill: { id: string; name: string };
  let proxy: BadProxy;
  before(async () => {
    [seller, buyer] = [await buildOperator(), await buildOperator({ cents: 10_000 })];
    skill = await buildSkill(seller, { price_per_invocation: 7 });
    proxy = await openBadProxy(service().baseUrl);
  });
  after(() => proxy.stop());

  const spent = async (act: () => Promise<unknown>): Promise<number> => {
    const { api } = clientOf(buyer);
    const balance = async (): Promise<number> => {
      const { balance_cents: free, held_cents: held } = await api.getBalance();
      return free + held;
    };
    const [before, held] = [await balance(), (await api.getBalance()).held_cents];
    await act();
    return before - (await balance()) + (await api.getBalance()).held_cents - held;
  };
  /** Does the next work of the seller. */
  const serving = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const stopped = new AbortController();
    const { api } = clientOf(seller);
    const working = (async () => {
      while (!stopped.signal.aborted) {
        const { invocations } = await api.listPendingInvocations({ query: { skill_id: skill.id }, wait: 1 });
        for (const { id } of invocations) {
          await api.claimInvocation({ path: { id }, body: {} });
          await api.completeInvocation({ path: { id }, body: { output: { text: 'HELLO' } } });
        }
      }
    })();
    try {
      return await act();
    } finally {
      stopped.abort();
      await working;
    }
  };

  it('finds a skill by its words, and none that is dearer', async () => {
    const word = unique('word');
    const dear = await buildSkill(seller, { description: `Shouts a ${word}`, price_per_invocation: 9 });
    const { market } = clientOf(buyer);
    assert.equal((await market.find(word, { maxPriceCents: 9, limit: 5 }))[0]?.id, dear.id);
    assert((await market.find(word, { maxPriceCents: 8 })).every(({ id }) => id !== dear.id));
  });

  it('invokes, waits and says what it cost', async () => {
    const result = await serving(() => clientOf(buyer).market.invoke<{ text: string }>(skill, { text: 'hello' }));
    assert.equal(result.output.text, 'HELLO');
    assert.equal(result.costMicrocents, 7_000_000);
    assert.match(result.id, /^inv_/);
  });

  it('throws what is still running, from which one can wait on', async () => {
    const { market } = clientOf(buyer);
    const error = await rejected(market.invoke(skill.id, { text: 'hello' }, { waitSeconds: 0 }));
    assert(error instanceof StillRunning, String(error));
    assert.deepEqual((await serving(() => market.result(error.id))).output, { text: 'HELLO' });
  });

  it('throws a failure of the provider', async () => {
    const { market } = clientOf(buyer);
    const running = (await rejected(market.invoke(skill, { text: 'hello' }, { waitSeconds: 0 }))) as StillRunning;
    const { api } = clientOf(seller);
    await api.claimInvocation({ path: { id: running.id }, body: {} });
    await api.failInvocation({ path: { id: running.id }, body: { error: { code: 'NO_IDEA', message: 'Sorry.' } } });
    const error = await rejected(market.result(running.id));
    assert(error instanceof InvocationFailed);
    assert.deepEqual([error.code, error.status], ['NO_IDEA', 'failed']);
  });

  it('throws a refusal as the error of its code', async () => {
    const poor = await buildOperator({ cents: 3 });
    const broke = await rejected(clientOf(poor).market.invoke(skill, { text: 'hello' }));
    assert(broke instanceof InsufficientCredits);
    assert.deepEqual([broke.status, broke.requiredCents, broke.balanceCents], [402, 7, 3]);
    const dear = await rejected(clientOf(buyer).market.invoke(skill, { text: 'hello' }, { maxPriceCents: 6 }));
    assert(dear instanceof PriceChanged);
    const wrong = await rejected(clientOf(buyer).market.invoke(skill, { nothing: 1 }));
    assert(wrong instanceof CarnetError);
    assert.equal(wrong.code, 'INPUT_SCHEMA_MISMATCH');
    assert.match(String(wrong.field), /^input/);
    assert.match(wrong.docs, /^https?:/);
  });

  for (const step of ['invoke', 'result'] as const)
    for (const fault of FAULTS)
      it(`pays once where ${step} ends in: ${fault}`, async () => {
        const matches = step === 'invoke' ? isInvoke : ({ path }: Seen) => /invocations\/inv_/.test(path);
        const paid = await spent(async () => {
          // Twice, so that the second try goes wrong too.
          proxy.spoil(matches, [fault, fault]);
          const options = step === 'invoke' ? {} : { waitSeconds: 0.5 };
          const { market } = clientOf(buyer, proxy.baseUrl);
          const from = proxy.seen.length;
          const invoke = () => market.invoke(skill, { text: 'hello' }, options);
          const { output } =
            step === 'invoke'
              ? await serving(invoke)
              : await invoke().catch((error: StillRunning) => serving(() => market.result(error.id)));
          assert.deepEqual(output, { text: 'HELLO' });
          const calls = proxy.seen.slice(from).filter(matches);
          assert(calls.length >= 3, `only ${calls.length} calls`);
          assert.equal(new Set(calls.map(({ key }) => key)).size, 1);
          const [first, second] = calls;
          if (fault === '429' || fault === '503') assert((second?.at ?? 0) - (first?.at ?? 0) >= 1_000);
        });
        assert.equal(paid, 7);
      });

  it('says of an answer that stays unclear that it may have been paid, and by which key to learn it', async () => {
    const { market } = clientOf(buyer, proxy.baseUrl, { patienceMs: 1 });
    const paid = await spent(async () => {
      proxy.spoil(isInvoke, ['another object']);
      const error = await rejected(market.invoke(skill, { text: 'hello' }, { waitSeconds: 0 }));
      assert(error instanceof UnclearError);
      assert(error.mayHaveHappened);
      const again = { idempotencyKey: error.idempotencyKey ?? '' };
      await serving(() => market.invoke(skill, { text: 'hello' }, again));
    });
    assert.equal(paid, 7);
  });

  it('says that nothing happened where nobody was reached, and that it was refused where it was', async () => {
    const stopped = await openBadProxy(service().baseUrl);
    await stopped.stop();
    const error = await rejected(
      clientOf(buyer, stopped.baseUrl, { patienceMs: 1 }).market.invoke(skill, { text: 'hello' }),
    );
    assert(error instanceof UnclearError);
    assert.equal(error.mayHaveHappened, false);
    proxy.spoil(isInvoke, ['429']);
    const refused = await rejected(
      clientOf(buyer, proxy.baseUrl, { patienceMs: 1 }).market.invoke(skill, { text: 'hello' }),
    );
    assert(refused instanceof RateLimited);
    assert.equal(refused.retryAfter, 1);
  });

  it('goes on when the service is back', async () => {
    const away = await openBadProxy(service().baseUrl);
    await away.stop();
    let tries = 0;
    const counted: typeof fetch = (...request) => {
      tries += 1;
      // The second try finds nobody either; then it is back.
      if (tries === 3) return away.start().then(() => fetch(...request));
      return fetch(...request);
    };
    const { market } = clientOf(buyer, away.baseUrl, { fetch: counted });
    const paid = await spent(() => serving(() => market.invoke(skill, { text: 'hello' })));
    await away.stop();
    assert.equal(paid, 7);
  });

  it('is ended by its signal', async () => {
    const stop = new AbortController();
    const waiting = rejected(clientOf(buyer).market.invoke(skill, { text: 'hello' }, { signal: stop.signal }));
    stop.abort(new Error('enough'));
    assert.equal(((await waiting) as Error).message, 'enough');
  });

  it('says where a key is missing', async () => {
    const { market } = new Carnet({ baseUrl: service().baseUrl });
    const error = await rejected(market.find('anything'));
    assert.equal((error as Error).message, 'UNAUTHENTICATED: Carnet needs an apiKey here; or set CARNET_API_KEY.');
  });

  it('refuses an id that would lead elsewhere', async () => {
    const { api } = clientOf(buyer);
    await assert.rejects(api.readSkill({ path: { id: '..' } }), TypeError);
    assert.throws(() => new Carnet({ apiKey: 'x', baseUrl: '' }), TypeError);
  });
});
