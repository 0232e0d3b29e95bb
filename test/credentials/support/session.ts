import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { assertStatus, requester, type Requester } from '../../support/service.ts';

/** Where people sign in, and the key that reads their mail. */
export interface Place {
  baseUrl: string;
  platform: Requester;
}

/** Signs somebody in by the code of the mail. @returns the Cookie header that a browser would send */
export async function signIn({ baseUrl, platform }: Place, email: string): Promise<string> {
  const nobody = requester(null, baseUrl);
  assertStatus(await nobody.post('/v1/dashboard/sessions', { email }), 202);
  const code = await eventually(`the code for ${email}`, async () => {
    const mail = await platform.get<{ messages: { text: string }[] }>(`/v1/admin/outbox?to=${encodeURIComponent(email)}`);
    return /\b\d{6}\b/.exec(assertStatus(mail, 200).messages[0]?.text ?? '')?.[0];
  });
  const signedIn = await nobody.post('/v1/dashboard/sessions/verify', { email, code });
  assertStatus(signedIn, 200);
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0];
  assert(cookie !== undefined, 'signing in sets a cookie');
  return cookie;
}
