import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { boardPage } from './board-page.ts';
import { postPage } from './post-page.ts';
import { requestPage } from './request-page.ts';

export const skillRequestPages: readonly PathOfPeoplePage[] = [boardPage, postPage, requestPage];
