import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { agentPage } from './agent-page.ts';
import { approvalPage } from './approval-pages.ts';
import { keyPage, memberPage, OPERATOR_PATH, operatorPage } from './change-pages.ts';
import { MAILS_PATH, mailsPage } from './mails-page.ts';
import { overviewPage } from './overview-page.ts';
import { reviewPage } from './review-pages.ts';
import { sessionsPage } from './sessions-page.ts';
import { codePage, signInPage, signOutPage } from './sign-in-pages.ts';
import { SWITCH_PATH, switchPage } from './switch-page.ts';

/** The pages of people by path. The console grows from them. */
export const dashboardPages: readonly PathOfPeoplePage[] = [
  ['/dashboard', overviewPage],
  ['/dashboard/agents/:id', agentPage],
  ['/dashboard/approvals/:id', approvalPage],
  ['/dashboard/keys/:id', keyPage],
  ['/dashboard/members/:id', memberPage],
  [MAILS_PATH, mailsPage],
  [OPERATOR_PATH, operatorPage],
  ['/dashboard/reviews/:id', reviewPage],
  sessionsPage,
  ['/dashboard/sign-in', signInPage],
  ['/dashboard/sign-in/code', codePage],
  ['/dashboard/sign-out', signOutPage],
  [SWITCH_PATH, switchPage],
];
