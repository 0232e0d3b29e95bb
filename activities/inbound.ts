import { advanceInbound, forwardInbound, purgeInboundContents, type ScannerContext } from '../src/inbound/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the life of an event; a call to a receiver is made once. */
export const inboundActivities = (context: ScannerContext) => activitiesOf(context, { advanceInbound, forwardInbound, purgeInboundContents });
