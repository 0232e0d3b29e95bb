import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { isForwarding, lockEndpoint, revokeEndpointRow, type EndpointRow } from './queries.ts';
import { seenBy, shownEndpoint } from './read.ts';
import type { Endpoint } from './schema.ts';

/** Ten seconds of a call, and a little for what is written about it. */
const WAIT_SECONDS = 12;

/**
 * Revokes an endpoint for good, and waits until no call to its forward_url is under way: nothing arrives there after the answer. Once more it
 * changes nothing. An agent's key and a passport revoke the endpoints of their own agent, blocked or not.
 * @throws CarnetError NOT_FOUND; TEMPORARILY_UNAVAILABLE where the process cannot wait: it is revoked, and the same call waits again
 */
export async function revokeEndpoint(
  context: Context,
  call: CommandCall,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<Answered<Endpoint>> {
  const { caller } = call;
  await runCommand(context, call, async (unit) => {
    const row = await lockEndpoint(unit.connection, seenBy(caller), id);
    assertThat(row !== null && mayRevoke(caller, row), () => notFound('inbound endpoint'));
    if (row.revoked_at === null) {
      await revokeEndpointRow(unit.connection, id);
      await unit.audit('inbound_endpoint.revoked', id, caller.kind === 'passport' ? { passport: caller.jti } : {});
      unit.changed(id);
    }
    return { status: 200, body: null };
  });
  const until = performance.now() + WAIT_SECONDS * 1_000;
  const wait = { caller: caller.operatorId, seconds: WAIT_SECONDS, signal };
  const quiet = await context.rowEvents.waitFor(id, wait, async () =>
    (await isForwarding(context.pool, id)) ? undefined : true,
  );
  if (quiet === undefined && performance.now() < until) {
    throw new CarnetError(
      'TEMPORARILY_UNAVAILABLE',
      'The endpoint is revoked. An event that was being forwarded before may still arrive; send this again to wait for its end.',
      { headers: { 'Retry-After': '5' } },
    );
  }
  return { status: 200, body: await shownEndpoint(context, context.pool, { caller, id }), replayed: false };
}

/** A passport is shown to others, and everybody whom it was shown to could end every endpoint of the operator for good. */
const mayRevoke = (caller: Caller, { agent_id: agentId }: EndpointRow): boolean =>
  (caller.kind !== 'agent' && caller.kind !== 'passport') || caller.agentId === agentId;
