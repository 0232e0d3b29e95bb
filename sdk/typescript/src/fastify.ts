import type { Door, Passport } from './door.ts';
import { admission, type ParamsOf } from './refusal.ts';

/** The members of Fastify that are needed here; `passport` is there once a request is admitted. */
interface Request {
  headers: { authorization?: string | undefined };
  passport?: Passport;
}
interface Reply {
  code(status: number): Reply;
  headers(headers: Record<string, string>): Reply;
  send(body: string): unknown;
}

/** For `preHandler`, by which the body is read: `app.get('/', { preHandler: admit(door) }, …)`. */
export function admit(door: Door): (request: Request, reply: Reply) => Promise<unknown>;
export function admit<Incoming extends Request>(
  door: Door,
  params: ParamsOf<Incoming>,
): (request: Incoming, reply: Reply) => Promise<unknown>;
// Without `params` there is nothing to infer the request from, and some versions of Fastify make it `never`.
export function admit<Incoming extends Request>(door: Door, params?: ParamsOf<Incoming>) {
  return async (request: Incoming, reply: Reply): Promise<unknown> => {
    const outcome = await admission(door, request.headers.authorization, params && (() => params(request)));
    if ('refused' in outcome) {
      const { status, headers, body } = outcome.refused;
      return reply.code(status).headers(headers).send(JSON.stringify(body));
    }
    request.passport = outcome.passport;
    return undefined;
  };
}

/** The passport of a request that was admitted. */
export const passportOf = (request: Request): Passport | undefined => request.passport;
