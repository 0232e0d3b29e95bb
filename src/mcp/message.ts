import type { Audience } from '../http/auth/audience.ts';
import type { RouteRequest } from '../http/route.ts';

/** A message that a client has sent, as the door hands it on. */
export type Message = Pick<
  RouteRequest<Audience, unknown, unknown, unknown>,
  'context' | 'caller' | 'requestId' | 'header' | 'signal' | 'callRoute' | 'body'
>;

/** Whether a body that nobody has checked yet is a message of this method. */
export const isNamed = (body: unknown, method: string): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === method;
