import type { Audience } from '../http/auth/audience.ts';
import type { RouteRequest } from '../http/route.ts';

/** A message that a client has sent, as the door hands it on. */
export type Message = Pick<
  RouteRequest<Audience, unknown, unknown, unknown>,
  'context' | 'caller' | 'requestId' | 'header' | 'signal' | 'callRoute' | 'body'
>;
