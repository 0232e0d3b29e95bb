import type { Door, Passport } from './door.ts';
import { admission, type ParamsOf } from './refusal.ts';

/** The members of Hono that are needed here; `c.get('passport')` is there once a request is admitted. */
interface Context {
  req: { header(name: string): string | undefined };
  set(name: 'passport', passport: Passport): void;
}
/** For the type of an application: `new Hono<Admitted>()`. */
export interface Admitted {
  Variables: { passport: Passport };
}

export function admit<Incoming extends Context>(door: Door, params?: ParamsOf<Incoming>) {
  return async (context: Incoming, next: () => Promise<void>): Promise<Response | undefined> => {
    const outcome = await admission(door, context.req.header('authorization'), params && (() => params(context)));
    if ('refused' in outcome) {
      const { status, headers, body } = outcome.refused;
      return new Response(JSON.stringify(body), { status, headers });
    }
    context.set('passport', outcome.passport);
    await next();
    return undefined;
  };
}
