import type { Context } from '../src/context/context.ts';
import { rotateSigningKeysWhenDue } from '../src/passports/keys/rotate.ts';
import { activity } from './activity.ts';

export const signingKeyActivities = (context: Context) => ({
  rotateSigningKeysWhenDue: activity(context, 'rotateSigningKeysWhenDue', () => rotateSigningKeysWhenDue(context)),
});
