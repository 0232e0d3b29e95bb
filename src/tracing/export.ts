import { setTimeout as after } from 'node:timers/promises';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TracingSettings } from './settings.ts';

/** A process that stops waits for a collector no longer. */
const LAST_EXPORT_MS = 2_000;

/** @returns what exports the rest and ends it */
export function startExport(
  { url, headers, ratio }: TracingSettings,
  { log, version }: { log: Logger; version: string },
): () => Promise<void> {
  const exporter = outspoken(new OTLPTraceExporter({ url, headers }), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'carnet', 'service.version': version }),
    // A trace that a row or a history of ours carries is one that is exported; a caller's is not known to be.
    sampler: new ParentBasedSampler({ root: byChance(ratio), remoteParentNotSampled: byChance(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return async () => {
    await Promise.race([provider.shutdown().catch(() => {}), after(LAST_EXPORT_MS, undefined, { ref: false })]);
    trace.disable();
    context.disable();
  };
}

/** Not by the trace id, as the sampler of the SDK does it: a caller chooses that. */
const byChance = (ratio: number): Sampler => ({
  shouldSample: () => ({
    decision: Math.random() < ratio ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
  }),
  toString: () => `ByChance{${ratio}}`,
});

/** Says once that spans are lost, and once that they arrive again. */
function outspoken(exporter: SpanExporter, log: Logger): SpanExporter {
  let isLosing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const loses = result.error !== undefined;
        if (loses && !isLosing) log.warn({ err: result.error }, 'the collector takes no traces; they are lost');
        if (!loses && isLosing) log.info('the collector takes traces again');
        isLosing = loses;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
