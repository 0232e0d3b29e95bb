import { type MailerContext, advanceMail, sendMail } from '../src/mail/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of a mail's life. */
export const mailActivities = (context: MailerContext) => activitiesOf(context, { advanceMail, sendMail });
