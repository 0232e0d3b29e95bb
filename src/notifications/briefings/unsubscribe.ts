import { findMembership } from '../../accounts/index.ts';
import { serviceCaller, type OperatorCaller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import { serviceCall } from '../../commands/service-call.ts';
import type { Context } from '../../context/context.ts';
import type { ApiKeyId, OperatorId } from '../../ids/ids.ts';
import { saveUnsubscribed } from '../channels/email/queries.ts';
import { endByRecipient, findOperatorOfDestination } from '../destinations/queries.ts';
import { tellOfUnsubscribing } from '../warnings.ts';
import { saveBriefingsOff } from './queries.ts';

/** The audit trail names the link: who follows it has shown no credential. */
const callerOf = (operatorId: OperatorId): OperatorCaller => ({
  ...serviceCaller,
  operatorId,
  platform: false,
  by: { kind: 'key', keyId: 'unsubscribe-link' as ApiKeyId },
});

/**
 * Ends the mails that a link of `unsubscribeLink` stands for; nothing happens where they have ended, or nobody would get them.
 * @param subject the destination or member, `dst_…` or `mem_…`
 */
export async function unsubscribe(context: Context, subject: string): Promise<void> {
  const isOfMember = subject.startsWith('mem_');
  const operatorId = isOfMember
    ? (await findMembership(context.pool, subject))?.operator_id
    : await findOperatorOfDestination(context.pool, subject);
  if (operatorId === undefined || operatorId === null) return;
  const caller = callerOf(operatorId as OperatorId);
  const call = serviceCall({ operation: 'unsubscribe', requestId: subject, caller });
  await (isOfMember
    ? turnBriefings(context, call, { memberId: subject, off: true })
    : endDestination(context, call, subject));
}

/** Turns mails about what waits for a member off, or on again. */
export const turnBriefings = (
  context: Context,
  call: CommandCall,
  { memberId, off }: { memberId: string; off: boolean },
): Promise<Answered<null>> =>
  runCommand(context, call, async (unit) => {
    if (await saveBriefingsOff(unit.connection, memberId, off))
      await unit.audit(off ? 'member.mails_off' : 'member.mails_on', memberId);
    return { status: 200, body: null };
  });

const endDestination = (context: Context, call: CommandCall, id: string): Promise<Answered<null>> =>
  runCommand(context, call, async (unit) => {
    const address = await endByRecipient(unit.connection, id);
    if (address !== null) {
      const { operatorId } = call.caller;
      await saveUnsubscribed(unit.connection, operatorId, address);
      await unit.audit('destination.unsubscribed', id);
      await tellOfUnsubscribing(context, unit, { operatorId, destinationId: id });
    }
    return { status: 200, body: null };
  });
