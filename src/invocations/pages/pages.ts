import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { invocationPage } from './invocation-page.ts';
import { invocationsPage } from './list-page.ts';
import { overseenPage } from './overseen-page.ts';
import { tryPage } from './try-page.ts';

export const invocationPages: readonly PathOfPeoplePage[] = [invocationsPage, invocationPage, tryPage, overseenPage];
