import type { Context } from './context.ts';
import { sessionAuthenticator } from './dashboard/index.ts';
import { apiKeyAuthenticator } from './http/api-keys.ts';
import type { Credentials } from './http/credential.ts';
import { oauthAuthenticator } from './http/oauth.ts';
import { platformKeyAuthenticator } from './http/platform-key.ts';
import { passportAuthenticator } from './passports/passport-bearer.ts';

/** Every kind of credential that the service takes (decisions C4). */
export const credentials = (context: Context): Credentials => {
  const { platformAdminKey, oauth } = context.config;
  return {
    bearers: [
      platformKeyAuthenticator(platformAdminKey),
      apiKeyAuthenticator(context),
      passportAuthenticator(context),
      ...(oauth === undefined ? [] : [oauthAuthenticator(context, oauth)]),
    ],
    session: sessionAuthenticator(context),
  };
};
