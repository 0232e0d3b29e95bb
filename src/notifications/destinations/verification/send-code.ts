import { lockOperator } from '../../../accounts/index.ts';
import type { Answered, CommandCall } from '../../../commands/command.ts';
import { runCommand } from '../../../commands/run.ts';
import type { Unit } from '../../../commands/unit.ts';
import type { Context } from '../../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../../ids/ids.ts';
import { lifeId } from '../../../ids/life-ids.ts';
import { writeMail } from '../../../mail/index.ts';
import { codeMac, newCode, tooEarlyForCode } from '../../../one-time-codes/codes.ts';
import type { ChannelType } from '../../channels/kinds.ts';
import { channels } from '../../channels/registry.ts';
import { lockDestination } from '../queries.ts';
import { shownDestination } from '../read.ts';
import type { SentCode } from '../schema.ts';
import { assertChannel } from '../tier.ts';
import { codeOf, destinationMac, verificationEncryptionContext } from './code-use.ts';
import { saveMailOfCode, storeVerificationCode } from './queries.ts';

/** A destination that a code is sent to. */
interface Unverified {
  id: string;
  operatorId: OperatorId;
  channel: ChannelType;
  address: string;
}

/**
 * Sends another code to a destination; those before it count no more.
 * @throws CarnetError NOT_FOUND; INVALID_STATE where it is verified; TIER_LIMIT_EXCEEDED, SMS_NOT_CONFIGURED; RATE_LIMITED with Retry-After
 */
export const sendAnotherCode = (
  context: Context,
  call: CommandCall,
  destinationId: string,
): Promise<Answered<SentCode>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    const operator = await lockOperator(connection, operatorId);
    const found = await lockDestination(connection, { operatorId, destinationId });
    assertThat(operator !== null && found !== null, () => notFound('destination'));
    assertThat(
      found.verified_at === null,
      () => new CarnetError('INVALID_STATE', 'The destination is verified; it needs no code.'),
    );
    const { id, channel_type: channel, address } = found;
    assertChannel(context, operator.tier, channel);
    await sendCode(context, unit, { id, operatorId, channel, address });
    const { code } = await shownDestination(connection, operatorId, id);
    if (code === null) throw new Error(`The destination ${id} has no code, just after one was stored.`);
    return { status: 200, body: { sent: true, expires_at: code.expires_at } };
  });

/**
 * Makes a code and leaves it to be sent after the commit: a mail to its life, everything else to the life `verification`. The operator is locked.
 * @throws CarnetError RATE_LIMITED with Retry-After (decision N2)
 */
export async function sendCode(
  context: Context,
  unit: Unit,
  { id: destinationId, operatorId, channel, address }: Unverified,
): Promise<void> {
  const { config, encryption } = context;
  const seconds = config.verificationCodeSeconds;
  const { code: way } = channels[channel];
  const code = newCode();
  const id = newId('vcd');
  const wait = await storeVerificationCode(unit.connection, {
    id,
    operatorId,
    destinationId,
    address: destinationMac(encryption, channel, address),
    code: codeMac(encryption, codeOf(destinationId), code),
    sealed: way.by === 'mail' ? null : encryption.encrypt(code, verificationEncryptionContext(id)),
    seconds,
  });
  if (wait > 0) throw tooEarlyForCode(wait);
  if (way.by === 'mail') {
    const mail = way.mailOf({ destinationId, code, seconds, publicBaseUrl: config.publicBaseUrl });
    await saveMailOfCode(unit.connection, id, await writeMail(context, unit, { to: address, ...mail, seconds }));
  } else await unit.wake(lifeId.verification(id));
  await unit.audit('destination.code_sent', destinationId);
}
