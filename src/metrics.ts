import type { Attributes, Counter, Histogram, ObservableResult } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { observeProcess } from './process-metrics.ts';

const exporter = new PrometheusExporter({ preventServerStart: true });
const meter = new MeterProvider({ readers: [exporter] }).getMeter('carnet');
const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

/** Seconds; Prometheus' own choice for answers of a web service. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * What this process counts, for /metrics. Instruments of one name are one: any module may make its own. Names are snake_case
 * and begin with `carnet_`; attributes have few values (operations, states), never ids.
 */
export const metrics = {
  counter: (name: string, description: string): Counter => meter.createCounter(name, { description }),

  /** A distribution of seconds. */
  durations: (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: DURATION_BUCKETS } }),

  /** A value that is read when the metrics are. @returns ends the observation */
  gauge(name: string, description: string, read: () => number | Promise<number>): () => void {
    const gauge = meter.createObservableGauge(name, { description });
    const observe = async (result: ObservableResult): Promise<void> => result.observe(await read());
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  },

  /** Several values told apart by attributes, read together. @returns ends the observation */
  gauges(
    name: string,
    description: string,
    read: () => Promise<[value: number, attributes: Attributes][]>,
  ): () => void {
    const gauge = meter.createObservableGauge(name, { description });
    const observe = async (result: ObservableResult): Promise<void> => {
      for (const [value, attributes] of await read()) result.observe(value, attributes);
    };
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  },
};

observeProcess(meter);

/** Everything in Prometheus' text format. */
export async function metricsText(): Promise<string> {
  const { resourceMetrics } = await exporter.collect();
  return serializer.serialize(resourceMetrics);
}
