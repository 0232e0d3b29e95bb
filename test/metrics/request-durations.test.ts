import assert from 'node:assert/strict';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import fc from 'fast-check';
import { RequestDurations } from '../../src/metrics/request-durations.ts';

const recorded = fc.array(
  fc.record({
    operation: fc.constantFrom('readThing', 'createThing'),
    status: fc.constantFrom(200, 404, 500),
    seconds: fc.oneof(fc.double({ min: 0, max: 60, noNaN: true }), fc.constantFrom(0, 0.005, 0.01, 0.25, 10)),
  }),
);

describe('the durations of requests', () => {
  it('count each answer once, in the bucket of the least limit that it does not exceed', () => {
    fc.assert(
      fc.property(recorded, (answers) => {
        const durations = new RequestDurations();
        for (const { operation, status, seconds } of answers) durations.record(operation, status, seconds);
        const metric = durations.metric();
        assert(metric.dataPointType === DataPointType.HISTOGRAM);
        const series = new Set(answers.map(({ operation, status }) => `${operation} ${status}`));
        assert.equal(metric.dataPoints.length, series.size);
        for (const { attributes, value } of metric.dataPoints) {
          const own = answers.filter(
            ({ operation, status }) => operation === attributes.operation && status === attributes.status,
          );
          const { boundaries, counts } = value.buckets;
          const limits = [...boundaries, Infinity];
          assert.deepEqual(
            counts,
            limits.map(
              (limit, at) => own.filter(({ seconds }) => seconds <= limit && seconds > (limits[at - 1] ?? -1)).length,
            ),
          );
          assert.equal(value.count, own.length);
          assert.equal(
            value.sum,
            own.reduce((sum, { seconds }) => sum + seconds, 0),
          );
        }
      }),
    );
  });
});
