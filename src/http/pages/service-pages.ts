import type { Context } from '../../context/context.ts';
import { metricsText } from '../../metrics/metrics.ts';
import type { AnyRoute } from '../route.ts';
import { dashboardPages } from './dashboard-page.ts';
import { docsPages } from './docs-pages.ts';
import { healthPages, type Health } from './health-pages.ts';
import { PageTable, type PathOfPage } from './page.ts';
import { signInPages } from './sign-in-page.ts';

/** What the service says about itself, to anyone, by path. @param pages of domains. */
export function createServicePages(
  context: Context,
  { routes, pages, health }: { routes: AnyRoute[]; pages: PathOfPage[]; health: Health },
): PageTable {
  return new PageTable([
    ...healthPages(context.pool, health),
    [
      '/metrics',
      {
        operation: 'metrics',
        page: async () => ({
          status: 200,
          type: 'text/plain; version=0.0.4; charset=utf-8',
          body: await metricsText(),
        }),
      },
    ],
    ...docsPages(routes),
    ...dashboardPages(context.config.publicBaseUrl, routes),
    ...signInPages(),
    ...pages,
  ]);
}
