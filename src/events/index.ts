export { forgetOldEvents } from './forget-events.ts';
export { eventCatalogue, notificationBodies } from './catalogue.ts';
export { readEvent } from './read-feed.ts';
export { recordEvent } from './record-event.ts';
export {
  briefedEventTypes,
  EventFilterSchema,
  EventNameSchema,
  eventTypesOf,
  SeveritySchema,
  standardEventTypes,
  type BriefedEventType,
} from './types.ts';
