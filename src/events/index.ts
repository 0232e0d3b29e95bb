export { NotificationSchema } from './schema.ts';
export { forgetOldEvents } from './forget-events.ts';
export { recordEvent } from './record-event.ts';
export { EventFilterSchema, EventNameSchema, eventTypesOf, SeveritySchema, standardEventTypes } from './types.ts';
