import { findOperator } from '../accounts/index.ts';
import type { Unit } from '../commands/unit.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { OperatorId } from '../ids/ids.ts';
import { writeMail } from '../mail/index.ts';
import { channels } from './channels/registry.ts';

/** Seconds: a warning that is a day old is worth nothing. */
const WORTH_SENDING = 86_400;

interface Warning {
  to: string;
  operatorId: string;
  subject: string;
  /** Its text, without the end that all have. */
  lines: readonly string[];
}

/**
 * The registered address of an operator, which is warned about its destinations; null: nobody is. An address that was named since and has
 * proven nothing may be a stranger's, and one whose holder ended what the operator sends there wants no more.
 */
export async function findWarned(connection: CommonQueryMethods, operatorId: string): Promise<string | null> {
  const operator = await findOperator(connection, operatorId);
  if (operator === null) return null;
  const { id, email } = operator;
  return (await channels.email.isProven(connection, id as OperatorId, email.toLowerCase())) ? email : null;
}

/** Writes a warning. The operator is named by id alone, since a name is what somebody wrote. */
export async function writeWarning(
  context: Pick<Context, 'config' | 'encryption'>,
  unit: Unit,
  { to, operatorId, subject, lines }: Warning,
): Promise<void> {
  const end = ['', `Operator: ${operatorId}`, 'You get this because this address is registered for the operator.', ''];
  await writeMail(context, unit, { to, subject, text: [...lines, ...end].join('\n'), seconds: WORTH_SENDING });
}

/** Warns that the holder of the address of an e-mail destination has ended what is sent there. */
export async function tellOfUnsubscribing(
  context: Pick<Context, 'config' | 'encryption'>,
  unit: Unit,
  { operatorId, destinationId: id }: { operatorId: string; destinationId: string },
): Promise<void> {
  const to = await findWarned(unit.connection, operatorId);
  if (to === null) return;
  const api = `${context.config.publicBaseUrl}/v1/notifications/destinations`;
  await writeWarning(context, unit, {
    to,
    operatorId,
    subject: `Your email ${id} was ended by its recipient`,
    lines: [
      `Somebody has followed the link in a mail to your email destination ${id} that ends such mails.`,
      'It is disabled now: nothing is sent to it until an administrator enables it again and its recipient agrees by a new code:',
      `POST ${api}/${id}/enable`,
      `POST ${api}/${id}/send-code`,
    ],
  });
}
