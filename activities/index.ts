import type { Context } from '../src/context.ts';
import { invocationActivities } from './invocations.ts';
import { mailActivities } from './mail.ts';
import { passportActivities } from './passports.ts';
import { signingKeyActivities } from './signing-keys.ts';

/** Everything that lives do outside of their own deterministic code. */
export const createActivities = (context: Context) => ({
  ...invocationActivities(context),
  ...mailActivities(context),
  ...passportActivities(context),
  ...signingKeyActivities(context),
});

export type Activities = ReturnType<typeof createActivities>;
