import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { endpointPage } from './endpoint-page.ts';
import { endpointsPage } from './endpoints-page.ts';
import { inboundEventPage } from './event-page.ts';
import { heldPage } from './held-page.ts';
import { newEndpointPage } from './new-endpoint-page.ts';

export const inboundPages: readonly PathOfPeoplePage[] = [
  endpointsPage,
  newEndpointPage,
  endpointPage,
  inboundEventPage,
  heldPage,
];
