import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { openRequestSpan } from '../../src/tracing/tracing.ts';
import { startTracing } from '../../src/tracing/start.ts';
import { startCollector } from './collector.ts';

describe('startTracing', () => {
  /** The names of the spans that were exported of requests with this flag, each with a trace id that samplers by id would take. */
  const exportedWith = async (ratio: number, flag: string): Promise<number> => {
    const collector = await startCollector();
    const settings = { url: `${collector.url}/v1/traces`, headers: {}, ratio };
    const stop = await startTracing(settings, { log: pino({ level: 'silent' }), version: '0' });
    const traceIds = Array.from({ length: 200 }, () => `${'0'.repeat(24)}${randomBytes(4).toString('hex')}`);
    for (const traceId of traceIds) {
      const span = openRequestSpan(`00-${traceId}-${randomBytes(8).toString('hex')}-${flag}`);
      assert.equal(span.traceId, traceId);
      span.end('anything', { attributes: {}, failed: false });
    }
    await stop();
    const exported = traceIds.filter((traceId) => collector.spansOf(traceId).length > 0).length;
    await collector.stop();
    return exported;
  };

  for (const flag of ['00', '01']) {
    it(`exports the part of the requests that the settings name, no matter which flag a caller sends: ${flag}`, async () => {
      assert.equal(await exportedWith(0, flag), 0);
      assert.equal(await exportedWith(1, flag), 200);
      const half = await exportedWith(0.5, flag);
      assert(half > 20 && half < 180, String(half));
    });
  }

  it('without settings goes on with the id of a caller, and exports nothing', async () => {
    const stop = await startTracing(undefined, { log: pino({ level: 'silent' }), version: '0' });
    assert.equal(openRequestSpan(undefined).traceId, undefined);
    assert.equal(openRequestSpan('00-nonsense').traceId, undefined);
    await stop();
  });

  it('says once that the collector takes nothing', async () => {
    const collector = await startCollector();
    const logged: string[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    const settings = { url: `${collector.url}/elsewhere`, headers: {}, ratio: 1 };
    const stop = await startTracing(settings, { log, version: '0' });
    for (let count = 0; count < 2_000; count += 1)
      openRequestSpan(undefined).end('anything', { attributes: {}, failed: false });
    await stop();
    await collector.stop();
    assert(collector.requests.length > 1, 'they are several batches');
    assert.equal(logged.length, 1, logged.join('\n'));
    assert.match(logged[0] ?? '', /"level":40.*the collector takes no traces/);
  });
});
