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
    try {
      const outcome = await admission(door, request.headers.authorization, params && (() => params(request)));
      if ('refused' in outcome) {
        const { status, headers, body } = outcome.refused;
        response.status(status).set(headers).end(JSON.stringify(body));
        return;
      }
      request.passport = outcome.passport;
    } catch (error) {
      // Express 4 does not look at the promise: a fault of `params` for a body that is not there would end the process.
      next(error);
      return;
    }
    next();
  };
}

/** The passport of a request that was admitted. */
export const passportOf = (request: Request): Passport | undefined => request.passport;
