import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { issuePage } from './issue-page.ts';
import { passportsPage } from './list-page.ts';
import { passportPage } from './passport-page.ts';
import { reviewsPage } from './reviews-page.ts';
import { verifyPage } from './verify-page.ts';

export const passportPages: readonly PathOfPeoplePage[] = [
  reviewsPage,
  passportsPage,
  issuePage,
  verifyPage,
  passportPage,
];
