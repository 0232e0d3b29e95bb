import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { agentPage } from './agent-page.ts';
import { approvalPage } from './approval-pages.ts';
import { lookUpPage } from './look-up-page.ts';
import { MAILS_PATH, mailsPage } from './mails-page.ts';
import { overviewPage } from './overview-page.ts';
import { reviewPage } from './review-pages.ts';
import { codePage, signInPage, signOutPage } from './sign-in-pages.ts';

/** The pages of people by path. The console grows from them. */
export const dashboardPages: readonly PathOfPeoplePage[] = [
  ['/dashboard', overviewPage],
  ['/dashboard/agents/:id', agentPage],
  ['/dashboard/approvals/:id', approvalPage],
  lookUpPage,
  [MAILS_PATH, mailsPage],
  ['/dashboard/reviews/:id', reviewPage],
  ['/dashboard/sign-in', signInPage],
  ['/dashboard/sign-in/code', codePage],
  ['/dashboard/sign-out', signOutPage],
];
