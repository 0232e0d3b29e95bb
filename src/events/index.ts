export { forgetOldEvents } from './forget-events.ts';
export {
  eventDefinitions,
  EventNameSchema,
  SeveritySchema,
  standardEventTypes,
  type EventType,
  type Severity,
} from './types.ts';
