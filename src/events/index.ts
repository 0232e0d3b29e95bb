export { NotificationSchema } from './schema.ts';
export { forgetOldEvents } from './forget-events.ts';
export { eventCatalogue } from './catalogue.ts';
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
