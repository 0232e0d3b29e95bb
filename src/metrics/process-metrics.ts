import type { Meter } from '@opentelemetry/api';
import { watchLoop } from './loop-lag.ts';

/** The names that Prometheus' dashboards for Node know. */
export function observeProcess(meter: Meter): void {
  const cpu = meter.createObservableCounter('process_cpu_seconds', {
    description: 'Processor time used, user and system',
  });
  cpu.addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe((user + system) / 1e6);
  });

  const resident = meter.createObservableGauge('process_resident_memory_bytes', { description: 'Memory held' });
  resident.addCallback((result) => result.observe(process.memoryUsage.rss()));

  const heap = meter.createObservableGauge('nodejs_heap_size_used_bytes', { description: 'Heap in use' });
  heap.addCallback((result) => result.observe(process.memoryUsage().heapUsed));

  const started = Date.now() / 1_000 - process.uptime();
  const start = meter.createObservableGauge('process_start_time_seconds', {
    description: 'When this process started, Unix time',
  });
  start.addCallback((result) => result.observe(started));

  const loop = watchLoop();
  const lag = meter.createObservableGauge('nodejs_eventloop_lag_p99_seconds', {
    description: 'Delay of the event loop in the last whole half minute, 99th percentile',
  });
  lag.addCallback((result) => result.observe(loop.p99));
  const longest = meter.createObservableGauge('nodejs_eventloop_lag_max_seconds', {
    description: 'Longest delay of the event loop in the last whole half minute',
  });
  longest.addCallback((result) => result.observe(loop.max));
}
