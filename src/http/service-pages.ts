import { z } from 'zod';
import type { Context } from '../context.ts';
import { sql } from '../database/pool.ts';
import { metricsText } from '../metrics.ts';
import type { Exchange } from './exchange.ts';
import type { AnyRoute } from './route.ts';
import { apiHeaders } from './security-headers.ts';

/** How the parts that commands do not need are doing; absent where this process has none. */
export interface Health {
  temporalHealth?: () => 'ok' | 'degraded';
}

interface Page {
  status: number;
  type: string;
  body: string | Buffer;
  cacheControl?: string;
}

export interface ServicePages {
  /** @returns the status, or undefined where the path is none of these pages */
  answer(exchange: Exchange): Promise<number | undefined>;
}

const json = (status: number, body: unknown): Page => ({ status, type: 'application/json', body: JSON.stringify(body) });

/** What the service says about itself, to anyone: health, metrics, its document and its pages. */
export function createServicePages(context: Context, _routes: AnyRoute[], { temporalHealth }: Health): ServicePages {
  const readiness = async (): Promise<Page> => {
    const database = await context.pool.oneFirst(sql.type(z.object({ one: z.literal(1) }))`select 1 as one`).then(
      () => 'ok',
      () => 'unreachable',
    );
    return json(database === 'ok' ? 200 : 503, { status: database === 'ok' ? 'ok' : 'unavailable', database, ...(temporalHealth && { temporal: temporalHealth() }) });
  };
  const pages = new Map<string, { operation: string; page: () => Page | Promise<Page> }>([
    ['/livez', { operation: 'livez', page: () => json(200, { status: 'ok' }) }],
    ['/readyz', { operation: 'readyz', page: readiness }],
    ['/healthz', { operation: 'healthz', page: readiness }],
    ['/metrics', { operation: 'metrics', page: async () => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await metricsText() }) }],
  ]);
  return {
    async answer(exchange) {
      const found = pages.get(exchange.path);
      if (found === undefined) return undefined;
      exchange.operation = found.operation;
      const { status, type, body, cacheControl } = await found.page();
      exchange.send(status, [...apiHeaders, 'Content-Type', type, 'Cache-Control', cacheControl ?? 'no-store'], body);
      return status;
    },
  };
}
