import type { ParameterizedContext } from 'koa';
import type { Context } from '../../context/context.ts';
import type { AnyRoute } from '../route.ts';
import { assetPages } from './assets.ts';
import { homePages } from './home-page.ts';
import { docsPages } from './docs-pages.ts';
import { healthPages, type Health } from './health-pages.ts';
import { addressBlock, clientAddress } from '../addresses.ts';
import { readForm } from '../body.ts';
import type { HeldBodies } from '../held-bodies.ts';
import type { RateLimits } from '../rate-limit.ts';
import { sendMethods } from '../routing.ts';
import type { Middleware, Recorded } from '../state.ts';
import { metricsPage } from './metrics-page.ts';
import { PageTable, preferencesOf, sendPage, type FoundPage, type PathOfPage } from './page.ts';

interface Pages {
  routes: AnyRoute[];
  /** The pages of domains. */
  pages: PathOfPage[];
  health: Health;
  limits: RateLimits | null;
  bodies: HeldBodies;
}

/**
 * Answers what is not below /v1: pages for browsers, health, metrics and the OpenAPI document, all of them for anyone, and counted by
 * the address but for health, those that are the same for everybody apart from the others.
 */
export function servicePages(context: Context, { routes, pages, health, limits, bodies }: Pages): Middleware<Recorded> {
  const table = new PageTable([
    ...healthPages(context.pool, health),
    ...(context.config.metricsPort === undefined ? [metricsPage] : []),
    ...assetPages(),
    ...homePages(context.config),
    ...docsPages(context.config.publicBaseUrl, routes),
    ...pages,
  ]);
  const answerPage = async (ctx: ParameterizedContext<Recorded>, { page, id }: FoundPage): Promise<void> => {
    ctx.state.operation = page.operation;
    if (page.forPeople) ctx.state.forPeople = true;
    const request = { id, ...preferencesOf(ctx) };
    if (limits !== null && page.uncounted !== true) {
      const limit = page.document === true ? limits.document : limits.anonymous;
      ctx.res.setHeaders(limit.count(addressBlock(clientAddress(ctx.req, limits.trustProxyHops))));
    }
    if (ctx.method === 'GET' || ctx.method === 'HEAD') sendPage(ctx, await page.page(request));
    else if (ctx.method === 'POST' && page.submit !== undefined) {
      const network = addressBlock(clientAddress(ctx.req, context.config.trustProxyHops), 48);
      sendPage(
        ctx,
        await page.submit({
          ...request,
          form: await readForm(ctx.req, bodies, { owner: network, ofAnyType: page.anyForm }),
        }),
      );
    } else sendMethods(ctx, { methods: page.submit === undefined ? ['GET'] : ['GET', 'POST'], anyOrigin: false });
  };
  return (ctx, next) => {
    const found = ctx.path.startsWith('/v1/') ? undefined : table.find(ctx.path);
    return found === undefined ? next() : answerPage(ctx, found);
  };
}
