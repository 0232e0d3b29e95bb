import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { approvalsPage } from './list-page.ts';

export const governancePages: readonly PathOfPeoplePage[] = [approvalsPage];
