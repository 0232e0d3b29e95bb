import type { Context } from '../context/context.ts';
import { notFound } from '../errors/carnet-error.ts';
import type { AgentId, OperatorId } from '../ids/ids.ts';
import { pendingOf } from './announce.ts';
import { findInvocation, listPending, type InvocationFilter } from './queries.ts';
import type { Invocation, InvocationSummary } from './schema.ts';

/** How long a caller prefers to wait; `seconds` null: not at all. The signal aborts when the client goes away. */
interface WaitPreference {
  seconds: number | null;
  signal: AbortSignal;
}

const isOpen = ({ status }: Invocation): boolean => status === 'pending' || status === 'processing';

/**
 * The invocation as soon as it has ended, or as it is when the time is over.
 * @throws CarnetError NOT_FOUND for a caller that is neither consumer nor provider, and with `agentId` for an invocation that is not of that agent.
 */
export async function readInvocation(
  context: Context,
  { id, operatorId, agentId }: { id: string; operatorId: OperatorId; agentId: AgentId | null },
  { seconds, signal }: WaitPreference,
): Promise<Invocation> {
  const read = async (): Promise<Invocation> => {
    const invocation = await findInvocation(context.pool, id, { operatorId, agentId });
    if (invocation === null) throw notFound('invocation');
    return invocation;
  };
  if (seconds === null) return read();
  let latest: Invocation | undefined;
  await context.rowEvents.waitFor(id, { caller: operatorId, seconds, signal }, async () => {
    latest = await read();
    return isOpen(latest) ? undefined : latest;
  });
  return latest ?? read();
}

/** The provider's pending work as soon as there is some; none when the time is over. */
export async function readPending(
  context: Context,
  filter: Omit<InvocationFilter, 'status'>,
  { seconds, signal }: WaitPreference,
): Promise<InvocationSummary[]> {
  const read = (): Promise<InvocationSummary[]> => listPending(context.pool, filter);
  if (seconds === null) return read();
  const wait = { caller: filter.operatorId, seconds, signal };
  const arrived = await context.rowEvents.waitFor(pendingOf(filter.operatorId), wait, async () => {
    const rows = await read();
    return rows.length > 0 ? rows : undefined;
  });
  return arrived ?? [];
}
