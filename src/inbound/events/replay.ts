import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { beginAttempt, findEvent, lockEvent, markHarmless, type EventStanding } from './queries.ts';
import type { InboundEvent } from './schema.ts';

interface Named {
  endpointId: string;
  id: string;
}

/**
 * Begins another attempt of an event that has ended: it is scanned again, and leaves only where the policy of today lets it pass. One
 * that was held needs a person.
 * @throws CarnetError NOT_FOUND; ENDPOINT_REVOKED; INVALID_STATE while it is worked on, or where its content is purged
 */
export const replayEvent = (
  context: Context,
  call: CommandCall,
  { endpointId, id }: Named,
): Promise<Answered<InboundEvent>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const named = { operatorId: call.caller.operatorId, endpointId, id };
    const event = await lockEvent(connection, named);
    assertThat(event, () => notFound('event'));
    if (event.revoked)
      throw new CarnetError(
        'ENDPOINT_REVOKED',
        'The endpoint of this event is revoked; nothing of it is forwarded any more.',
      );
    if (!event.ended) throw new CarnetError('INVALID_STATE', 'This event is being worked on; wait until it has ended.');
    if (!event.content_kept)
      throw new CarnetError('INVALID_STATE', 'The content of this event is no longer kept, so it cannot be replayed.');
    if (event.status === 'blocked') {
      const { agent_id, verdict, forward_url, block_at, mode } = event;
      const subject = {
        ...contentDecidedAbout(event, endpointId),
        verdict,
        agent_id,
        forward_url,
        policy: { block_at, mode },
      };
      const refused = await context.requireApproval(unit, call, { act: 'inbound_event.replayed', subject });
      if (refused !== null) return refused;
    }
    await beginAttempt(connection, id);
    await unit.wake(lifeId.inbound(id));
    await unit.audit('inbound_event.replayed', id, { endpoint_id: endpointId });
    unit.changed(id);
    return { status: 200, body: await shown(connection, named) };
  });

/**
 * Notes that a person takes a finding for harmless. It is kept, and counted once, and changes neither verdict nor scanner.
 * @throws CarnetError NOT_FOUND where there is no such event or finding
 */
export const markFindingHarmless = (
  context: Context,
  call: CommandCall,
  { endpointId, id, finding }: Named & { finding: number },
): Promise<Answered<InboundEvent>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const named = { operatorId: call.caller.operatorId, endpointId, id };
    const event = await lockEvent(connection, named);
    assertThat(event, () => notFound('event'));
    const found = event.verdict?.findings[finding];
    assertThat(found, () => notFound('finding'));
    const subject = { ...contentDecidedAbout(event, endpointId), finding: found };
    const refused = await context.requireApproval(unit, call, { act: 'inbound_finding.marked_harmless', subject });
    if (refused !== null) return refused;
    await markHarmless(connection, id, finding);
    await unit.audit('inbound_finding.marked_harmless', id, { endpoint_id: endpointId, finding });
    return { status: 200, body: await shown(connection, named) };
  });

/** Which content a person decides about, who reads it by `readContent`: other bytes, and another attempt, are decided about again. */
const contentDecidedAbout = ({ id, attempt, body_sha256 }: EventStanding, endpointId: string) => ({
  id,
  endpoint_id: endpointId,
  attempt,
  body_sha256,
});

async function shown(
  connection: Parameters<typeof findEvent>[0],
  named: Parameters<typeof findEvent>[1],
): Promise<InboundEvent> {
  const event = await findEvent(connection, named);
  assertThat(event, () => notFound('event'));
  return event;
}
