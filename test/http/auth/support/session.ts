import assert from 'node:assert/strict';
import { eventually } from '../../../support/eventually.ts';
import { assertStatus, requester, type Requester } from '../../../support/service.ts';

/** Where people sign in, and the key that reads their mail. */
export interface Place {
  baseUrl: string;
  platform: Requester;
}

/** Has a code mailed to somebody. @returns the code */
export async function codeFor({ baseUrl, platform }: Place, email: string): Promise<string> {
  assertStatus(await requester(null, baseUrl).post('/v1/dashboard/sessions', { email }), 202);
  return await eventually(`the code for ${email}`, async () => {
    const outbox = `/v1/admin/outbox?to=${encodeURIComponent(email)}`;
    const { messages } = assertStatus(await platform.get<{ messages: { text: string }[] }>(outbox), 200);
    return messages.map(({ text }) => /^\d{6}$/m.exec(text)).find((found) => found !== null)?.[0];
  });
}

/** Signs somebody in by the code of the mail. @returns the Cookie header that a browser would send */
export async function signIn(place: Place, email: string): Promise<string> {
  const code = await codeFor(place, email);
  const signedIn = await requester(null, place.baseUrl).post('/v1/dashboard/sessions/verify', { email, code });
  assertStatus(signedIn, 200);
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0];
  assert(cookie !== undefined, 'signing in sets a cookie');
  return cookie;
}
