/**
 * Workflow ids, `<kind>:<prefixed id>`, by kind; made here alone and never from anything a client chose: a client could otherwise
 * reach the life of another (rule 1). SQL functions that leave messages build the same text,
 * which scripts/sql-law.ts checks.
 */
export const lifeId = {
  /** One an operator: its people are mailed about what came since the last mail. */
  briefing: (operatorId: string): string => `briefing:${operatorId}`,
  inbound: (eventId: string): string => `inbound:${eventId}`,
  invocation: (invocationId: string): string => `invocation:${invocationId}`,
  /** The one log of claims. */
  'log-sequencer': (logId: string): string => `log-sequencer:${logId}`,
  mail: (mailId: string): string => `mail:${mailId}`,
  /** One a destination, not one an event: it is what one receiver waits for. */
  notification: (destinationId: string): string => `notification:${destinationId}`,
  /** @param payoutId `op_…:YYYY-MM` */
  payout: (payoutId: string): string => `payout:${payoutId}`,
  portal: (portalId: string): string => `portal:${portalId}`,
  refund: (refundId: string): string => `refund:${refundId}`,
  session: (sessionId: string): string => `session:${sessionId}`,
  subscription: (operatorId: string): string => `subscription:${operatorId}`,
  'top-up': (topUpId: string): string => `top-up:${topUpId}`,
  verification: (codeId: string): string => `verification:${codeId}`,
} as const satisfies Record<string, (id: string) => string>;

/** The kinds of lives there are. A workflow bears the name of its kind, in camel case. */
export type LifeKind = keyof typeof lifeId;

/** Kind and row id of a workflow id; undefined where it is not one of ours. */
export function parseLifeId(workflowId: string): { kind: LifeKind; id: string } | undefined {
  const colon = workflowId.indexOf(':');
  const kind = workflowId.slice(0, Math.max(colon, 0));
  const id = workflowId.slice(colon + 1);
  return Object.hasOwn(lifeId, kind) && id !== '' ? { kind: kind as LifeKind, id } : undefined;
}
