import { agentPages } from '../accounts/agents/pages/pages.ts';
import { accountPages } from '../accounts/pages/pages.ts';
import { authorityPages } from '../authority/pages/pages.ts';
import { casePages } from '../billing/cases/pages/pages.ts';
import { billingPages } from '../billing/pages/pages.ts';
import { adjustmentPages } from '../billing/wallet/pages/pages.ts';
import { claimAssets } from '../claims/pages/assets.ts';
import { claimPages } from '../claims/pages/pages.ts';
import { consoleAssets } from '../console/assets.ts';
import { livePage } from '../console/live.ts';
import { partsPage } from '../console/parts-page.ts';
import { HOME } from '../console/places.ts';
import { credentialPages } from '../credentials/pages/pages.ts';
import { currentSession } from '../dashboard/index.ts';
import { dashboardPages } from '../dashboard/pages/pages.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { eventPages } from '../events/pages/pages.ts';
import { governancePages } from '../governance/pages/pages.ts';
import type { PathOfPage } from '../http/pages/page.ts';
import type { PagesOfPeople } from '../http/pages/people-pages.ts';
import { inboundPages } from '../inbound/pages/pages.ts';
import { invocationPages } from '../invocations/pages/pages.ts';
import { lifePages } from '../lives/pages/pages.ts';
import { mailPages } from '../mail/pages/pages.ts';
import { notificationPages } from '../notifications/pages/pages.ts';
import { signingKeyPages } from '../passports/keys/pages/pages.ts';
import { passportPages } from '../passports/pages/pages.ts';
import { retentionPages } from '../retention/pages/pages.ts';
import { skillRequestPages } from '../skill-requests/pages/pages.ts';
import { skillPages } from '../skills/pages/pages.ts';
import { reviewPages } from '../skills/review/pages/pages.ts';

/** Every page of people, a domain after the other; the frame is in src/console. */
export const pagesOfPeople = (): PagesOfPeople => ({
  pages: [
    [`${HOME}/live`, livePage()],
    partsPage,
    ...invocationPages,
    ...claimPages,
    ...eventPages,
    ...inboundPages,
    ...notificationPages,
    ...billingPages,
    ...governancePages,
    ...passportPages,
    ...agentPages,
    ...dashboardPages(),
    ...skillPages,
    ...skillRequestPages,
    ...credentialPages,
    ...accountPages,
    ...authorityPages,
    ...retentionPages,
    ...reviewPages,
    ...casePages,
    ...adjustmentPages,
    ...mailPages,
    ...signingKeyPages,
    ...lifePages,
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

/** The files that pages of people load. */
export const filesOfPages = (): PathOfPage[] => [...consoleAssets(), ...claimAssets()];
