import type { Context } from './context.ts';
import { apiKeyAuthenticator } from './http/api-keys.ts';
import type { Credentials } from './http/credential.ts';
import { platformKeyAuthenticator } from './http/platform-key.ts';

/** Every kind of credential that the service takes (decisions C4). */
export const credentials = (context: Context): Credentials => ({
  bearers: [platformKeyAuthenticator(context.config.platformAdminKey), apiKeyAuthenticator(context)],
});
