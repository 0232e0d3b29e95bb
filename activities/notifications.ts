import { type SenderContext, advanceNotification, sendNotifications } from '../src/notifications/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the life of a destination. */
export const notificationActivities = (context: SenderContext) =>
  activitiesOf(context, { advanceNotification, sendNotifications });
