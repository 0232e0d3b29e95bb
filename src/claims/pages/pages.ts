import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { claimPage } from './claim-page.ts';
import { claimsPage } from './claims-page.ts';
import { logPage } from './log-page.ts';
import { verifyPage } from './verify-page.ts';

export const claimPages: readonly PathOfPeoplePage[] = [claimsPage, verifyPage, claimPage, logPage];
