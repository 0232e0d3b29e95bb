import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { keyPages } from '../api-keys/pages/pages.ts';
import { auditPages } from '../audit/pages/pages.ts';
import { memberPages } from '../members/pages/pages.ts';
import { operatorPages } from '../operators/pages/pages.ts';
import { partnerPages } from '../partner-grants/pages/pages.ts';

export const accountPages: readonly PathOfPeoplePage[] = [
  ...operatorPages,
  ...memberPages,
  ...keyPages,
  ...partnerPages,
  ...auditPages,
];
