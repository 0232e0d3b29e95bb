import type { Context } from '../src/context.ts';
import { rotateSigningKeysWhenDue } from '../src/passports/rotate-signing-keys.ts';
import { activity } from './activity.ts';

export const signingKeyActivities = (context: Context) => ({
  rotateSigningKeysWhenDue: activity(context, 'rotateSigningKeysWhenDue', () => rotateSigningKeysWhenDue(context)),
});
