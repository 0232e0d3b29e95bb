import type { Counter, Gauge } from '@opentelemetry/api';
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
 * The instruments of this process, for /metrics. Instruments of one name are one: any module may make its own. Names are snake_case
 * and begin with `carnet_`; attributes have few values (operations, states), never ids.
 */
export const metrics = {
  counter: (name: string, description: string): Counter => meter.createCounter(name, { description }),
  gauge: (name: string, description: string): Gauge => meter.createGauge(name, { description }),
};

observeProcess(meter);

/** Returns what is counted here, in Prometheus' text format. */
export async function metricsText(): Promise<string> {
  const { resourceMetrics } = await exporter.collect();
  const { resource, scopeMetrics } = resourceMetrics;
  const requests = { scope: { name: 'carnet' }, metrics: [requestDurations.metric()] };
  return serializer.serialize({ resource, scopeMetrics: [...scopeMetrics, requests] });
}

/** Other parts of this process that count by themselves, each by its own text. */
const sources = new Set<() => Promise<string>>();

/** Adds a part of this process to `/metrics`; while it cannot be read it is left out. @returns what takes it out again */
export function addMetricsSource(read: () => Promise<string>): () => void {
  sources.add(read);
  return () => void sources.delete(read);
}

/** Everything that this process counts, in Prometheus' text format. */
export async function allMetricsText(): Promise<string> {
  const others = await Promise.all([...sources].map((read) => read().catch(() => '')));
  return [await metricsText(), ...others].join('');
}
