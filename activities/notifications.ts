import {
  type SenderContext,
  advanceNotification,
  advanceVerification,
  sendNotifications,
  sendVerification,
} from '../src/notifications/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the lives of destinations and of their codes; each call to somebody else is made once. */
export const notificationActivities = (context: SenderContext) =>
  activitiesOf(context, { advanceNotification, advanceVerification, sendNotifications, sendVerification });
