import { advanceSession, rotateSigningKeysWhenDue } from '../src/passports/index.ts';
import type { Context } from '../src/context/context.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of a session's life and of the key rotation; each is a conditional transaction, so repeating one changes nothing. */
export const passportActivities = (context: Context) =>
  activitiesOf(context, { advanceSession, rotateSigningKeysWhenDue });
