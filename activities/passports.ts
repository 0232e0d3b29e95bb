import type { Context } from '../src/context/context.ts';
import { advanceSession } from '../src/passports/accountability/advance-session.ts';
import { activity } from './activity.ts';

/** The steps of a session's life; each is a conditional transaction, so repeating one changes nothing. */
export const passportActivities = (context: Context) => ({
  advanceSession: activity(context, 'advanceSession', (id: string) => advanceSession(context, id)),
});
