import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { bindingPages } from '../bindings/pages/pages.ts';
import { connectionPages } from '../connections/pages/pages.ts';
import { grantPages } from '../grants/pages/pages.ts';
import { identityPages } from '../identity-claims/pages/pages.ts';
import { missionPages } from '../missions/pages/pages.ts';

export const authorityPages: readonly PathOfPeoplePage[] = [
  ...connectionPages,
  ...grantPages,
  ...missionPages,
  ...bindingPages,
  ...identityPages,
];
