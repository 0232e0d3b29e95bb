import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z.object({ stringValue: z.string().optional(), intValue: z.number().optional() });
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: z.array(z.object({ key: z.string(), value: Value })),
});
const Export = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(Span) })) })),
});
export type ExportedSpan = z.infer<typeof Span>;

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  requests: { headers: IncomingHttpHeaders; body: string }[];
  spansOf(traceId: string): ExportedSpan[];
  stop(): Promise<void>;
}

/** Takes traces as OTLP in JSON, on a real socket of this machine. */
export async function startCollector(): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const requests: Collector['requests'] = [];
  const take = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    requests.push({ headers: request.headers, body });
    const isTrace = request.url === '/v1/traces';
    if (isTrace)
      for (const { scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    answer.writeHead(isTrace ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, answer) => void take(request, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
