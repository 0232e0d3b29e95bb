import { Context } from '@temporalio/activity';

/**
 * Tells Temporal, while a step is under way, that its worker lives, if the workflow wants to be told (`heartbeatTimeout`): a worker that
 * died is then missed long before the step's time is over. A quarter of the time apart, so that one that is late is no loss.
 * @returns what ends it.
 */
export function keepAlive(): () => void {
  const context = Context.current();
  const { heartbeatTimeoutMs } = context.info;
  if (heartbeatTimeoutMs === undefined) return () => {};
  const timer = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / 4);
  return () => clearInterval(timer);
}
