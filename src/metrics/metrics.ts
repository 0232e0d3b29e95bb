import type { Counter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { observeProcess } from './process-metrics.ts';
import { RequestDurations } from './request-durations.ts';

const exporter = new PrometheusExporter({ preventServerStart: true });
const meter = new MeterProvider({ readers: [exporter] }).getMeter('carnet');
const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

/** How long the answers of the API took. */
export const requestDurations = new RequestDurations();

/**
 * What this process counts, for /metrics. Instruments of one name are one: any module may make its own. Names are snake_case
 * and begin with `carnet_`; attributes have few values (operations, states), never ids.
 */
export const metrics = {
  counter: (name: string, description: string): Counter => meter.createCounter(name, { description }),
};

observeProcess(meter);

/** Everything in Prometheus' text format. */
export async function metricsText(): Promise<string> {
  const { resourceMetrics } = await exporter.collect();
  const { resource, scopeMetrics } = resourceMetrics;
  const requests = { scope: { name: 'carnet' }, metrics: [requestDurations.metric()] };
  return serializer.serialize({ resource, scopeMetrics: [...scopeMetrics, requests] });
}
