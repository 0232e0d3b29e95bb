import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { STEPS } from './step-table.ts';
import { database, outbound } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advancePortal']>>;

/** The life of a page of the provider's portal: opened once, for the caller who waits. */
export const portal = (): Promise<string> =>
  live({
    advance: database.advancePortal,
    next: ({ status }) => (status === 'opening' ? 'open' : 'end'),
    isReady: ({ status }) => status !== 'opening',
    act: {
      open: (id) => outbound({ withinMs: 60_000 }).openPortalPage(id),
    },
    describe,
    result: ({ status }) => status,
    refusals: {
      cancelRequest: 'it ends by itself when the page is open, or a quarter of an hour after it was requested.',
    },
  });

function describe({ status }: Step): string {
  if (status === 'opening') return STEPS.openPortalPage.does;
  return ended('page', status);
}
