import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Carnet, CarnetError, WorkRefused, type Serving } from '../../sdk/typescript/src/index.ts';
import { eventually } from '../support/eventually.ts';
import { buildOperator, echoSchema, unique, type TestOperator } from '../support/factories.ts';
import { service } from '../support/service.ts';
import { FAULTS, openBadProxy, type BadProxy, type Seen } from './bad-proxy.ts';

const clientOf = ({ key }: TestOperator, baseUrl = service().baseUrl): Carnet =>
  new Carnet({ apiKey: key ?? '', baseUrl });
const offer = (more = {}) => ({
  name: unique('shout'),
  description: 'Shouts a text',
  version: '1.0.0',
  input_schema: echoSchema,
  output_schema: echoSchema,
  trust_level_required: 'L0' as const,
  price_per_invocation: 7,
  ...more,
});
const shout = ({ text }: { text: string }) => ({ text: text.toUpperCase() });

describe('provider of the SDK in TypeScript', () => {
  let seller: TestOperator;
  let buyer: TestOperator;
  let proxy: BadProxy;
  before(async () => {
    [seller, buyer] = [await buildOperator(), await buildOperator({ cents: 10_000 })];
    proxy = await openBadProxy(service().baseUrl);
  });
  after(() => proxy.stop());

  const invoke = ({ skill }: Serving, text = 'hello') => clientOf(buyer).market.invoke(skill, { text });

  describe('publish', () => {
    it('publishes once, and the next version as a change of the same skill', async () => {
      const { provider } = clientOf(seller);
      const first = offer();
      const made = await provider.publish(first);
      const same = await provider.publish(first);
      assert.deepEqual([same.id, same.revision], [made.id, made.revision]);
      const next = await provider.publish({ ...first, version: '1.1.0', price_per_invocation: 9 });
      assert.deepEqual([next.id, next.version, next.price_per_invocation], [made.id, '1.1.0', 9]);
    });

    it('refuses another content under the version that is there, and what cannot change', async () => {
      const { provider } = clientOf(seller);
      const first = offer();
      await provider.publish(first);
      const refused = (error: unknown): boolean => {
        assert(error instanceof CarnetError);
        assert.equal(error.code, 'VERSION_IMMUTABLE');
        assert.match(error.detail, /description/);
        return true;
      };
      await assert.rejects(provider.publish({ ...first, description: 'Whispers' }), refused);
      await assert.rejects(
        provider.publish({ ...first, version: '2.0.0', accepts_requests: false }),
        /accepts_requests .* cannot change/,
      );
    });
  });

  it('does what is invoked, many in parallel', async () => {
    let [now, most] = [0, 0];
    const all = Promise.withResolvers<void>();
    const together = async (input: { text: string }) => {
      now += 1;
      most = Math.max(most, now);
      if (now === 3) all.resolve();
      await all.promise;
      now -= 1;
      return shout(input);
    };
    const serving = await clientOf(seller).provider.serve(offer(), together, { concurrency: 3 });
    const results = await Promise.all(['a', 'b', 'c', 'd'].map((text) => invoke(serving, text)));
    await serving.stop();
    assert.deepEqual(
      results.map(({ output }) => output['text']),
      ['A', 'B', 'C', 'D'],
    );
    assert.equal(most, 3);
  });

  it('tells the consumer of a WorkRefused, and of another error nothing but that it failed', async () => {
    const errors: unknown[] = [];
    const handler = ({ text }: { text: string }) => {
      if (text === 'known') throw new WorkRefused('NO_SUCH_TEXT', 'Nobody knows it.');
      throw new Error('the password is 1234');
    };
    const serving = await clientOf(seller).provider.serve(offer(), handler, { onError: (error) => errors.push(error) });
    await assert.rejects(invoke(serving, 'known'), { code: 'NO_SUCH_TEXT', message: 'NO_SUCH_TEXT: Nobody knows it.' });
    await assert.rejects(invoke(serving), { message: 'PROVIDER_FAILED: The provider could not do this.' });
    await serving.stop();
    assert.deepEqual(
      errors.map((error) => (error as Error).message),
      ['Nobody knows it.', 'the password is 1234'],
    );
  });

  it('fails an invocation whose output does not match', async () => {
    const serving = await clientOf(seller).provider.serve(offer(), () => ({ number: 1 }));
    await assert.rejects(invoke(serving), { code: 'OUTPUT_SCHEMA_MISMATCH' });
    await serving.stop();
  });

  it('renews its lease for as long as it works', async () => {
    const from = proxy.seen.length;
    const isHeartbeat = ({ path }: Seen): boolean => path.endsWith('/heartbeat');
    // Longer than the lease, counted in heartbeats.
    const handler = async (input: { text: string }) => {
      await eventually('four heartbeats', () => proxy.seen.slice(from).filter(isHeartbeat).length >= 4, {
        seconds: 50,
      });
      return shout(input);
    };
    const serving = await clientOf(seller, proxy.baseUrl).provider.serve(offer(), handler, { leaseSeconds: 5 });
    assert.deepEqual((await invoke(serving)).output, { text: 'HELLO' });
    await serving.stop();
  });

  it('aborts the work when its lease is lost, and delivers nothing', async () => {
    const reasons: unknown[] = [];
    const { api } = clientOf(seller);
    const handler = async (
      input: { text: string },
      { invocation, signal }: { invocation: { id: string; attempt: number }; signal: AbortSignal },
    ) => {
      // Somebody else with the same key ends it.
      await api.completeInvocation({ path: { id: invocation.id }, body: { output: { text: 'elsewhere' } } });
      await once(signal, 'abort');
      reasons.push(signal.reason);
      return shout(input);
    };
    const serving = await clientOf(seller).provider.serve(offer(), handler, { leaseSeconds: 5 });
    assert.deepEqual((await invoke(serving)).output, { text: 'elsewhere' });
    await serving.stop();
    assert.match(String(reasons[0]), /INVOCATION_NOT_PROCESSING/);
  });

  it('finishes what is under way before it stops, and takes no more', async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const handler = async (input: { text: string }) => {
      begun.resolve();
      await go.promise;
      return shout(input);
    };
    const serving = await clientOf(seller).provider.serve(offer(), handler);
    const result = invoke(serving);
    await begun.promise;
    const stopped = serving.stop();
    go.resolve();
    await stopped;
    assert.deepEqual((await result).output, { text: 'HELLO' });
    const late = clientOf(buyer).market.invoke(serving.skill, { text: 'late' }, { waitSeconds: 1 });
    await assert.rejects(late, { name: 'StillRunning' });
  });

  it('ends with the reason when its key counts no more', async () => {
    const made = await seller.post<{ id: string; key: string }>('/v1/api-keys', {
      name: unique('key'),
      kind: 'operator',
      role: 'admin',
    });
    const { provider } = new Carnet({ apiKey: made.body.key, baseUrl: service().baseUrl });
    const serving = await provider.serve(offer(), shout);
    await seller.delete(`/v1/api-keys/${made.body.id}`);
    await clientOf(buyer)
      .market.invoke(serving.skill, { text: 'hello' }, { waitSeconds: 0 })
      .catch(() => {});
    await assert.rejects(serving.done, { code: 'UNAUTHENTICATED' });
    await assert.rejects(serving.stop(), { code: 'UNAUTHENTICATED' });
  });

  for (const step of ['pending', 'claim', 'complete'] as const)
    for (const fault of FAULTS)
      it(`completes once where ${step} ends in: ${fault}`, async () => {
        let done = 0;
        const handler = (input: { text: string }) => {
          done += 1;
          return shout(input);
        };
        const matches = ({ path }: Seen): boolean => new RegExp(`/${step}(\\?|$)`).test(path);
        proxy.spoil(matches, [fault, fault]);
        const from = proxy.seen.length;
        const serving = await clientOf(seller, proxy.baseUrl).provider.serve(offer(), handler);
        assert.deepEqual((await invoke(serving)).output, { text: 'HELLO' });
        await serving.stop();
        assert.equal(done, 1);
        const calls = proxy.seen.slice(from).filter(matches);
        assert(calls.length >= 3);
        if (step !== 'pending') assert.equal(new Set(calls.map(({ key }) => key)).size, 1);
      });

  it('delivers what was made while the service was away', async () => {
    const away = await openBadProxy(service().baseUrl);
    const handler = async (input: { text: string }) => {
      await away.stop();
      return shout(input);
    };
    const carnet = new Carnet({
      apiKey: seller.key ?? '',
      baseUrl: away.baseUrl,
      fetch: async (...request) => {
        const answer = fetch(...request);
        // It is back once a delivery has found nobody.
        if ((request[0] as string).endsWith('/complete')) await answer.catch(() => away.start());
        return await answer;
      },
    });
    const serving = await carnet.provider.serve(offer(), handler);
    assert.deepEqual((await invoke(serving)).output, { text: 'HELLO' });
    await serving.stop();
    await away.stop();
  });
});
