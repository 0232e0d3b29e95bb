import { PassportRefused, type Admission, type Door, type Passport } from './door.ts';

/** An answer to a call that was not admitted, as the adapters of frameworks send it. */
export interface Refused {
  status: number;
  headers: Record<string, string>;
  body: { title: string; status: number; detail: string; reason: string };
}

/** The parameters of a request, which the constraints of a passport limit; without them a passport that has some is refused. */
export type ParamsOf<Request> = (request: Request) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** One admission for all frameworks. Whatever goes wrong in it admits nobody. */
export async function admission(
  door: Door,
  authorization: string | undefined,
  params?: () => ReturnType<ParamsOf<unknown>>,
): Promise<{ passport: Passport } | { refused: Refused }> {
  try {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const call: Admission = params === undefined || token === undefined ? {} : { params: await params() };
    return { passport: await door.admit(token, call) };
  } catch (error) {
    if (!(error instanceof PassportRefused)) throw error;
    const { status, because, message } = error;
    const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
    if (status === 401) headers['www-authenticate'] = because === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
    if (status === 403) headers['www-authenticate'] = 'Bearer error="insufficient_scope"';
    return { refused: { status, headers, body: { title: 'Not admitted', status, detail: message, reason: because } } };
  }
}
