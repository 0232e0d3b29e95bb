import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { marketPage } from './market-page.ts';
import { offerPage } from './offer-page.ts';
import { ownSkillsPage } from './own-page.ts';
import { publishPage } from './publish-page.ts';
import { skillPage } from './skill-page.ts';

export const skillPages: readonly PathOfPeoplePage[] = [marketPage, offerPage, ownSkillsPage, publishPage, skillPage];
