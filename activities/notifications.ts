import {
  type SenderContext,
  advanceBriefing,
  advanceNotification,
  advanceVerification,
  sendNotifications,
  sendVerification,
} from '../src/notifications/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the lives of destinations, of their codes and of briefings; each call to somebody else is made once. */
export const notificationActivities = (context: SenderContext) =>
  activitiesOf(context, {
    advanceBriefing,
    advanceNotification,
    advanceVerification,
    sendNotifications,
    sendVerification,
  });
