import type { Answered, CommandCall } from '../../commands/command.ts';
import { isGovernedAct, type GovernedAct } from '../../commands/governed-acts.ts';
import { runCommand } from '../../commands/run.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import {
  closeReceivable,
  dismissAlarm,
  dismissDifferingPayment,
  isAboutMoney,
  settleRefundByHand,
  stateOfCase,
  takeDifferingPayment,
  whyNotSettled,
  whyNotTaken,
  type CaseEffect,
  type CaseState,
  type DecidableCase,
  type SettledRefund,
} from './queries.ts';
import type { DecidedCase } from './schema.ts';

interface Decision {
  kind: DecidableCase['kind'];
  outcome: DecidedCase['outcome'];
  /** As the audit trail names it. What moves money is a governed act: a person of the platform has to approve it. */
  action: GovernedAct | 'billing_alarm.dismissed';
  /** The act that it is for some of these cases. */
  governed?(unit: Unit, id: string): Promise<GovernedAct | null>;
  /** Checks what else has to be so, before a person is asked to approve it. */
  check?(unit: Unit, id: string): Promise<void>;
  /** @param decided the sum as it was approved, which another call may have changed since */
  apply(unit: Unit, id: string, decided: { cents: number | null; requestId: string }): Promise<CaseEffect>;
}

/** A person found at the provider that a pending refund was paid, or that there is no such refund. */
export const refundSettled = (outcome: SettledRefund): Decision => ({
  kind: 'refund',
  outcome,
  action: 'refund.settled_by_hand',
  async check({ connection }, id) {
    const why = await whyNotSettled(connection, id, outcome);
    assertThat(why === null, () => new CarnetError('INVALID_STATE', `This refund cannot be settled so: ${why}.`));
  },
  apply: ({ connection }, id, { requestId }) => settleRefundByHand(connection, id, { outcome, requestId }),
});

/** Moves no money here. @param dismiss returns whose case it was; null where it no longer waits */
const dismissed = (dismiss: (connection: Unit['connection'], id: string) => Promise<string | null>) => ({
  outcome: 'dismissed' as const,
  async apply({ connection }: Unit, id: string): Promise<CaseEffect> {
    const operatorId = await dismiss(connection, id);
    assertThat(operatorId !== null, () => noLongerOpen('decided'));
    return { operator_id: operatorId, transaction_id: null, life: null };
  },
});

/** The platform also decides this about money. */
export const decisions = {
  /** Gives up what is still owed of a receivable. */
  receivableClosed: {
    kind: 'receivable',
    outcome: 'closed',
    action: 'receivable.closed',
    apply: ({ connection }, id, decided) => closeReceivable(connection, id, decided),
  },
  /** Credits a payment that was not the one requested, to the cent that was paid. */
  paymentTaken: {
    kind: 'differing_payment',
    outcome: 'taken',
    action: 'differing_payment.taken',
    async check({ connection }, id) {
      const why = await whyNotTaken(connection, id);
      assertThat(why === null, () => new CarnetError('INVALID_STATE', `This payment cannot be taken: ${why}.`));
    },
    apply: ({ connection }, id, { requestId }) => takeDifferingPayment(connection, { id, requestId }),
  },
  /** Notes that a payment was settled elsewhere, as by giving it back at the provider. */
  paymentDismissed: {
    kind: 'differing_payment',
    action: 'differing_payment.dismissed',
    ...dismissed(dismissDifferingPayment),
  },
  /** Notes that a person has looked, and done what was to be done. */
  alarmDismissed: {
    kind: 'alarm',
    action: 'billing_alarm.dismissed',
    governed: async ({ connection }, id) => ((await isAboutMoney(connection, id)) ? 'payment_alarm.dismissed' : null),
    ...dismissed(dismissAlarm),
  },
} satisfies Record<string, Decision>;

/**
 * A decision of the platform about money; the reason stands in the platform's audit trail, what was done in the operator's too.
 * @throws CarnetError NOT_FOUND, INVALID_STATE where it was decided or cannot be, GOVERNANCE_APPROVAL_REQUIRED where it moves money.
 */
export const decideCase = (
  context: Context,
  call: CommandCall,
  {
    decision: { kind, outcome, action: usual, governed, check, apply },
    id,
    reason,
  }: { decision: Decision; id: string; reason: string },
): Promise<Answered<DecidedCase>> =>
  runCommand(context, call, async (unit) => {
    const subject = await openCase(unit, kind, id);
    await check?.(unit, id);
    const action = (await governed?.(unit, id)) ?? usual;
    const refused = isGovernedAct(action) ? await context.requireApproval(unit, call, { act: action, subject }) : null;
    if (refused !== null) return refused;
    const { operator_id, transaction_id, life } = await apply(unit, id, {
      cents: subject.amount_cents,
      requestId: call.requestId,
    });
    await unit.audit(action, id, { operator_id, outcome, reason, ...(transaction_id !== null && { transaction_id }) });
    if (life !== null) await unit.wake(life, operator_id);
    unit.changed(id, operator_id);
    return { status: 200, body: { kind, id, operator_id, outcome, transaction_id } };
  });

/** The case as it stands, which an approval is bound to. @throws CarnetError NOT_FOUND, INVALID_STATE where it was decided. */
async function openCase(unit: Unit, kind: DecidableCase['kind'], id: string): Promise<CaseState> {
  const found = await stateOfCase(unit.connection, { kind, id });
  assertThat(found, () => notFound(kind.replaceAll('_', ' ')));
  assertThat(found.state === 'open', () => noLongerOpen(found.state));
  return found;
}

const noLongerOpen = (state: string): CarnetError =>
  new CarnetError('INVALID_STATE', `This was decided already: it is ${state}.`, { extra: { current_status: state } });
