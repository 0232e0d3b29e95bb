import { accountPages } from '../accounts/pages/pages.ts';
import { authorityPages } from '../authority/pages/pages.ts';
import { casePages } from '../billing/cases/pages/pages.ts';
import { adjustmentPages } from '../billing/wallet/pages/pages.ts';
import { livePage } from '../console/live.ts';
import { HOME } from '../console/places.ts';
import { searchPage } from '../console/search.ts';
import { currentSession, dashboardPages } from '../dashboard/index.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { PagesOfPeople } from '../http/pages/people-pages.ts';
import { invocationPages } from '../invocations/pages/pages.ts';
import { lifePages } from '../lives/pages/pages.ts';
import { mailPages } from '../mail/pages/pages.ts';
import { signingKeyPages } from '../passports/keys/pages/pages.ts';
import { retentionPages } from '../retention/pages/pages.ts';
import { reviewPages } from '../skills/review/pages/pages.ts';

/** For people who administer the platform. */
const platformPages = [
  ...reviewPages,
  ...casePages,
  ...adjustmentPages,
  ...mailPages,
  ...signingKeyPages,
  ...lifePages,
];

/** Every page of people, a domain after the other; the frame is in src/console. */
export const pagesOfPeople = (): PagesOfPeople => ({
  pages: [
    [`${HOME}/live`, livePage()],
    searchPage,
    ...accountPages,
    ...authorityPages,
    ...invocationPages,
    ...retentionPages,
    ...platformPages,
    ...dashboardPages,
  ],
  async sessionOf(context, caller) {
    try {
      return await currentSession(context, caller);
    } catch (error) {
      if (error instanceof CarnetError && error.code === 'NOT_FOUND') return null; // it ended meanwhile
      throw error;
    }
  },
});
