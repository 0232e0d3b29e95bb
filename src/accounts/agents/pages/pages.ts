import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { agentsPage } from './agents-page.ts';

export const agentPages: readonly PathOfPeoplePage[] = [agentsPage];
