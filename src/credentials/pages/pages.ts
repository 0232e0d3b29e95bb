import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { credentialsPage } from './credentials-page.ts';

export const credentialPages: readonly PathOfPeoplePage[] = [credentialsPage];
