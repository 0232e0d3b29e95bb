import type { Context } from '../context/context.ts';
import { sessionAuthenticator } from '../dashboard/index.ts';
import { apiKeyAuthenticator, isSuspended } from '../accounts/index.ts';
import type { Credentials } from '../http/auth/credential.ts';
import { oauthAuthenticator } from '../http/auth/oauth.ts';
import { platformKeyAuthenticator } from '../http/auth/platform-key.ts';
import { passportAuthenticator } from '../passports/index.ts';

/** Every kind of credential that the service takes. */
export const credentials = (context: Context): Credentials => {
  const { platformAdminKey, oauth } = context.config;
  return {
    bearers: [
      platformKeyAuthenticator(platformAdminKey),
      apiKeyAuthenticator(context),
      passportAuthenticator(context),
      ...(oauth === undefined ? [] : [oauthAuthenticator(context, oauth, (id) => isSuspended(context.pool, id))]),
    ],
    session: sessionAuthenticator(context),
  };
};
