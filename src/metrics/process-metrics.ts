import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

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

  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const lag = meter.createObservableGauge('nodejs_eventloop_lag_p99_seconds', {
    description: 'Delay of the event loop since the last reading, 99th percentile',
  });
  lag.addCallback((result) => {
    result.observe(delay.percentile(99) / 1e9);
    delay.reset();
  });
}
