import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { destinationPage } from './destination-page.ts';
import { destinationsPage } from './destinations-page.ts';
import { newDestinationPage } from './new-destination-page.ts';
import { newRulePage, rulePage } from './rule-pages.ts';
import { rulesPage } from './rules-page.ts';

export const notificationPages: readonly PathOfPeoplePage[] = [
  destinationsPage,
  newDestinationPage,
  destinationPage,
  rulesPage,
  newRulePage,
  rulePage,
  deliveriesPage,
  deliveryPage,
];
