import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import type { Sending } from '../../outbound/outcomes.ts';
import { channels } from '../channels/registry.ts';
import { findWarned, writeWarning } from '../warnings.ts';
import { takeWarning, type Settled, type StartedDelivery } from './queries.ts';

/** Failures in a row after which a person is mailed; after twenty over twelve hours the destination is disabled. */
const MAILED_AFTER: ReadonlySet<number> = new Set([5, 10, 15]);

interface Failure {
  delivery: StartedDelivery;
  settled: Settled;
  outcome: Sending;
}

/**
 * Warns the operator where a destination keeps failing, three times a day at most, and where it was disabled for that.
 */
export async function climbLadder(
  context: Pick<Context, 'config' | 'encryption'>,
  unit: Unit,
  { delivery, settled: { failures, failing_since: since, disabled }, outcome }: Failure,
): Promise<void> {
  if (failures === null || (disabled !== true && !MAILED_AFTER.has(failures))) return;
  const { operator_id: operatorId, destination_id: id, channel_type: channel } = delivery;
  const to = await findWarned(unit.connection, operatorId);
  if (to === null) return;
  if (disabled !== true && !(await takeWarning(unit.connection, id))) return;
  const api = `${context.config.publicBaseUrl}/v1/notifications`;
  const what = `${failures} notifications in a row to your ${channels[channel].nameOf(delivery)} were not delivered, the first at ${since ?? 'an unknown time'}.`;
  const lines = [
    what,
    `The last one: ${outcome.error ?? outcome.status}`,
    '',
    ...(disabled === true
      ? [
          'It is disabled now: nothing is sent to it until an administrator enables it again:',
          `POST ${api}/destinations/${id}/enable`,
        ]
      : ['After twenty in a row over twelve hours or more it is disabled.']),
    '',
    `The outcome of each delivery: GET ${api}/deliveries?destination_id=${id}`,
    `Send again what was not delivered: POST ${api}/deliveries/recover`,
    '',
    'Such mails end when the destination receives again, or an administrator deletes it.',
  ];
  const subject = disabled === true ? `Your ${channel} ${id} was disabled` : `Your ${channel} ${id} does not receive`;
  await writeWarning(context, unit, { to, operatorId, subject, lines });
}
