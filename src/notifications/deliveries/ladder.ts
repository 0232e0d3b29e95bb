import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { findOperator, isRegisteredEmail } from '../../accounts/index.ts';
import { writeMail } from '../../mail/index.ts';
import type { Sending } from '../../outbound/outcomes.ts';
import { channels } from '../channels/registry.ts';
import { takeWarning, type Settled, type StartedDelivery } from './queries.ts';

/** Failures in a row after which a person is mailed; after twenty over twelve hours the destination is disabled. */
const MAILED_AFTER: ReadonlySet<number> = new Set([5, 10, 15]);
/** Seconds: a warning that is a day old is worth nothing. */
const WORTH_SENDING = 86_400;

interface Failure {
  delivery: StartedDelivery;
  settled: Settled;
  outcome: Sending;
}

/**
 * Mails the registered address of the operator where a destination keeps failing, three times a day at most, and where it was disabled for that. An address that was
 * named since and has proven nothing may be a stranger's: it gets none. The operator is named by id alone, since a name is
 * what somebody wrote.
 */
export async function climbLadder(
  context: Pick<Context, 'config' | 'encryption'>,
  unit: Unit,
  { delivery, settled: { failures, failing_since: since, disabled }, outcome }: Failure,
): Promise<void> {
  if (failures === null || (disabled !== true && !MAILED_AFTER.has(failures))) return;
  const operator = await findOperator(unit.connection, delivery.operator_id);
  if (operator === null) return;
  if (!(await isRegisteredEmail(unit.connection, operator.id, operator.email.toLowerCase()))) return;
  const { destination_id: id, channel_type: channel } = delivery;
  if (disabled !== true && !(await takeWarning(unit.connection, id))) return;
  const api = `${context.config.publicBaseUrl}/v1/notifications`;
  const what = `${failures} notifications in a row to your ${channels[channel].nameOf(delivery)} were not delivered, the first at ${since ?? 'an unknown time'}.`;
  const text = [
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
    `Operator: ${operator.id}`,
    'You get this because this address is registered for the operator. Such mails end when the destination receives again, or is deleted:',
    `DELETE ${api}/destinations/${id}`,
    '',
  ].join('\n');
  const subject = disabled === true ? `Your ${channel} ${id} was disabled` : `Your ${channel} ${id} does not receive`;
  await writeMail(context, unit, { to: operator.email, subject, text, seconds: WORTH_SENDING });
}
