export { NotificationSchema } from './schema.ts';
export { forgetOldEvents } from './forget-events.ts';
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
