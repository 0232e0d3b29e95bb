import { Context } from '@temporalio/activity';

/**
 * Sends heartbeats while a step is under way, if its workflow has a `heartbeatTimeout`: a worker that died is then missed long before the
 * step's time is over. A quarter of that timeout apart, so that one that is late is no loss.
 * @returns what ends it.
 */
export function startHeartbeat(): () => void {
  const context = Context.current();
  const { heartbeatTimeoutMs } = context.info;
  if (heartbeatTimeoutMs === undefined) return () => {};
  const timer = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / 4);
  return () => clearInterval(timer);
}
