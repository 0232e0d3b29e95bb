import type { Answered, CommandCall } from '../../commands/command.ts';
import { isGovernedAct, type GovernedAct } from '../../commands/governed-acts.ts';
import { runCommand } from '../../commands/run.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import {
  closeReceivable,
  dismissDifferingPayment,
  settleRefundByHand,
  stateOfCase,
  takeDifferingPayment,
  whyNotTaken,
  type CaseEffect,
  type CaseState,
} from './queries.ts';
import type { BillingCase, DecidedCase } from './schema.ts';

interface Decision {
  kind: BillingCase['kind'];
  id: string;
  outcome: DecidedCase['outcome'];
  reason: string;
  /** As the audit trail names it. What moves money is a governed act: a person of the platform has to approve it. */
  action: GovernedAct | 'differing_payment.dismissed';
  /** What else has to be so, before a person is asked to approve it. */
  check?(unit: Unit): Promise<void>;
  apply(unit: Unit, requestId: string): Promise<CaseEffect>;
}

/** The platform's decisions about money; the reason stands in the platform's audit trail, what was done in the operator's too. */
const decide = (
  context: Context,
  call: CommandCall,
  { kind, id, outcome, reason, action, check, apply }: Decision,
): Promise<Answered<DecidedCase>> =>
  runCommand(context, call, async (unit) => {
    const subject = await openCase(unit, kind, id);
    await check?.(unit);
    const refused = isGovernedAct(action) ? await context.requireApproval(unit, call, { act: action, subject }) : null;
    if (refused !== null) return refused;
    const { operator_id, transaction_id, life } = await apply(unit, call.requestId);
    await unit.audit(action, id, { operator_id, outcome, reason, ...(transaction_id !== null && { transaction_id }) });
    if (life !== null) await unit.wake(life, operator_id);
    unit.changed(id, operator_id);
    return { status: 200, body: { kind, id, operator_id, outcome, transaction_id } };
  });

/** The case as it stands, which an approval is bound to. @throws CarnetError NOT_FOUND, INVALID_STATE where it was decided. */
async function openCase(unit: Unit, kind: BillingCase['kind'], id: string): Promise<CaseState> {
  const found = await stateOfCase(unit.connection, { kind, id });
  assertThat(found, () => notFound(kind.replaceAll('_', ' ')));
  assertThat(found.state === 'open', () => noLongerOpen(found.state));
  return found;
}

const noLongerOpen = (state: string): CarnetError =>
  new CarnetError('INVALID_STATE', `This was decided already: it is ${state}.`, { extra: { current_status: state } });

/**
 * Ends a pending refund as a person found it at the provider.
 * @throws CarnetError NOT_FOUND, INVALID_STATE where it is settled, GOVERNANCE_APPROVAL_REQUIRED.
 */
export const settleRefund = (
  context: Context,
  call: CommandCall,
  { id, outcome, reason }: { id: string; outcome: 'succeeded' | 'failed'; reason: string },
): Promise<Answered<DecidedCase>> =>
  decide(context, call, {
    kind: 'refund',
    id,
    outcome,
    reason,
    action: 'refund.settled_by_hand',
    apply: ({ connection }, requestId) => settleRefundByHand(connection, id, { outcome, requestId }),
  });

/**
 * Gives up what is still owed of a receivable.
 * @throws CarnetError NOT_FOUND, INVALID_STATE where nothing is owed, GOVERNANCE_APPROVAL_REQUIRED.
 */
export const giveUpReceivable = (
  context: Context,
  call: CommandCall,
  { id, reason }: { id: string; reason: string },
): Promise<Answered<DecidedCase>> =>
  decide(context, call, {
    kind: 'receivable',
    id,
    outcome: 'closed',
    reason,
    action: 'receivable.closed',
    apply: ({ connection }, requestId) => closeReceivable(connection, id, requestId),
  });

/**
 * Credits a payment that was not the one requested, to the cent that was paid.
 * @throws CarnetError NOT_FOUND, INVALID_STATE where it cannot be credited, GOVERNANCE_APPROVAL_REQUIRED.
 */
export const takePayment = (
  context: Context,
  call: CommandCall,
  { id, reason }: { id: string; reason: string },
): Promise<Answered<DecidedCase>> =>
  decide(context, call, {
    kind: 'differing_payment',
    id,
    outcome: 'taken',
    reason,
    action: 'differing_payment.taken',
    async check({ connection }) {
      const why = await whyNotTaken(connection, id);
      assertThat(why === null, () => new CarnetError('INVALID_STATE', `This payment cannot be taken: ${why}.`));
    },
    apply: ({ connection }, requestId) => takeDifferingPayment(connection, id, requestId),
  });

/**
 * Notes that a payment was settled elsewhere, as by giving it back at the provider. It moves no money.
 * @throws CarnetError NOT_FOUND, INVALID_STATE where it was decided.
 */
export const dismissPayment = (
  context: Context,
  call: CommandCall,
  { id, reason }: { id: string; reason: string },
): Promise<Answered<DecidedCase>> =>
  decide(context, call, {
    kind: 'differing_payment',
    id,
    outcome: 'dismissed',
    reason,
    action: 'differing_payment.dismissed',
    apply: async ({ connection }) => {
      const operatorId = await dismissDifferingPayment(connection, id);
      assertThat(operatorId !== null, () => noLongerOpen('decided'));
      return { operator_id: operatorId, transaction_id: null, life: null };
    },
  });
