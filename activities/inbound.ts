import {
  advanceInbound,
  classifyInbound,
  forwardInbound,
  type ClassifierContext,
  type ScannerContext,
} from '../src/inbound/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the life of an event; a call to a receiver or a model is made once. */
export const inboundActivities = (context: ScannerContext & ClassifierContext) =>
  activitiesOf(context, { advanceInbound, classifyInbound, forwardInbound });
