import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { agentPage } from './agent-page.ts';
import { approvalPage } from './approval-pages.ts';
import { DEMO_PATH, demoPage } from './demo-page.ts';
import { inboxPage } from './inbox-page.ts';
import { LINK_PATH, linkPage } from './link-page.ts';
import { lookUpPage } from './look-up-page.ts';
import { mailsPage } from './mails-page.ts';
import { overviewPage } from './overview-page.ts';
import { REGISTER_CODE_PATH, registerCodePage, registerPage } from './register-pages.ts';
import { reviewPage } from './review-pages.ts';
import { searchPage } from './search-page.ts';
import { sessionsPage } from './sessions-page.ts';
import { codePage, signInPage, signOutPage } from './sign-in-pages.ts';
import { INBOX_PATH, REGISTER_PATH } from './sign-in-steps.ts';
import { SWITCH_PATH, switchPage } from './switch-page.ts';

/** The pages of people by path. */
export const dashboardPages = (): readonly PathOfPeoplePage[] => [
  overviewPage,
  agentPage,
  approvalPage,
  lookUpPage,
  mailsPage,
  reviewPage,
  searchPage,
  sessionsPage,
  ['/dashboard/sign-in', signInPage],
  ['/dashboard/sign-in/code', codePage],
  [LINK_PATH, linkPage],
  [DEMO_PATH, demoPage()],
  [INBOX_PATH, inboxPage],
  [REGISTER_PATH, registerPage],
  [REGISTER_CODE_PATH, registerCodePage],
  ['/dashboard/sign-out', signOutPage],
  [SWITCH_PATH, switchPage],
];
