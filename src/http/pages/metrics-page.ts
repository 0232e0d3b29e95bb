import { allMetricsText } from '../../metrics/metrics.ts';
import type { PathOfPage } from './page.ts';

/** Shows what this process counts, for Prometheus. */
export const metricsPage: PathOfPage = [
  '/metrics',
  {
    operation: 'metrics',
    page: async () => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await allMetricsText() }),
  },
];
