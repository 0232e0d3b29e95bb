import { type TexterContext, advanceVerification, sendVerification } from '../src/notifications/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the life of a code; each call to somebody else is made once. */
export const notificationActivities = (context: TexterContext) =>
  activitiesOf(context, { advanceVerification, sendVerification });
