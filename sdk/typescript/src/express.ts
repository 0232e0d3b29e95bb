import type { Door, Passport } from './door.ts';
import { admission, type ParamsOf } from './refusal.ts';

/** The members of Express that are needed here; `passport` is there once a request is admitted. */
interface Request {
  headers: { authorization?: string | undefined };
  passport?: Passport;
}
interface Response {
  status(code: number): Response;
  set(headers: Record<string, string>): Response;
  end(text: string): unknown;
}

export function admit<Incoming extends Request>(door: Door, params?: ParamsOf<Incoming>) {
  return async (request: Incoming, response: Response, next: (error?: unknown) => void): Promise<void> => {
    const outcome = await admission(door, request.headers.authorization, params && (() => params(request)));
    if ('refused' in outcome) {
      const { status, headers, body } = outcome.refused;
      response.status(status).set(headers).end(JSON.stringify(body));
      return;
    }
    request.passport = outcome.passport;
    next();
  };
}

/** The passport of a request that was admitted. */
export const passportOf = (request: Request): Passport | undefined => request.passport;
