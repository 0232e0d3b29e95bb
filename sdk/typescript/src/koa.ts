import type { Door } from './door.ts';
import { admission, type ParamsOf } from './refusal.ts';

/** The members of Koa that are needed here; `state.passport` is there once a request is admitted. */
interface Context {
  headers: { authorization?: string | undefined };
  state: object;
  status: number;
  body?: unknown;
  set(headers: Record<string, string>): void;
}

export function admit<Incoming extends Context>(door: Door, params?: ParamsOf<Incoming>) {
  return async (context: Incoming, next: () => Promise<unknown>): Promise<void> => {
    const outcome = await admission(door, context.headers.authorization, params && (() => params(context)));
    if ('refused' in outcome) {
      context.status = outcome.refused.status;
      context.body = JSON.stringify(outcome.refused.body);
      context.set(outcome.refused.headers);
      return;
    }
    Object.assign(context.state, { passport: outcome.passport });
    await next();
  };
}
