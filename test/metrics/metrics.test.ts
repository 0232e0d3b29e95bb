import assert from 'node:assert/strict';
import { metrics, metricsText, requestDurations } from '../../src/metrics/metrics.ts';

/** A line of a value: name, labels, number. */
const SAMPLE =
  /^[a-z_][a-z0-9_]*(\{([a-z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)*\})? (NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/;

const linesOf = async (name: string): Promise<string[]> =>
  (await metricsText()).split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('are in Prometheus’ text format, each name described once before its values', async () => {
    requestDurations.record('readThing', 200, 0.004);
    const lines = (await metricsText()).trimEnd().split('\n');
    const typed = new Set<string>();
    for (const line of lines) {
      const [, name] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
      if (name !== undefined) {
        assert(!typed.has(name), `${name} is there twice`);
        typed.add(name);
      } else if (!line.startsWith('# ')) {
        assert.match(line, SAMPLE);
        const family = line.replace(/[{ ].*$/, '');
        assert(
          typed.has(family) || typed.has(family.replace(/_(bucket|sum|count)$/, '')),
          `${line} comes before its TYPE`,
        );
      }
    }
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      assert(typed.has(name), name);
  });

  it('count by attributes, and counters of one name are one', async () => {
    // One of the service: docs/operations.md names every metric that a process shows, and a test holds it to that.
    const counter = () => metrics.counter('carnet_payment_events', 'Events of the payment provider, by what they did');
    counter().add(2, { outcome: 'in "this" test' });
    counter().add(3, { outcome: 'in "this" test' });
    counter().add(1, { outcome: 'in that test' });
    const values = await linesOf('carnet_payment_events_total');
    assert.deepEqual(
      values.filter((line) => line.includes('test')),
      [
        'carnet_payment_events_total{outcome="in \\"this\\" test"} 5',
        'carnet_payment_events_total{outcome="in that test"} 1',
      ],
    );
  });

  it('put an answer into every bucket that it fits, the border included', async () => {
    for (const seconds of [0.005, 0.006, 99]) requestDurations.record('timeThing', 201, seconds);
    const values = (await linesOf('carnet_http_request_duration_seconds')).filter((line) => line.includes('timeThing'));
    const at = (limit: string) =>
      values
        .find((line) => line.includes(`le="${limit}"`))
        ?.split(' ')
        .at(-1);
    assert.deepEqual([at('0.005'), at('0.01'), at('10'), at('+Inf')], ['1', '2', '2', '3']);
  });
});
