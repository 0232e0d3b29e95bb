import { lockOperator } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { Seats, SetSeats } from './seats-schema.ts';
import { lockSubscription, readSeats, saveDesiredTerms } from './queries.ts';
import { isPaid } from './state.ts';

/**
 * Sets how many seats are bought in addition to those of the tier. They count immediately, and the life pushes them to the
 * provider. The operator is locked, so that nobody joins meanwhile.
 * @throws CarnetError SEATS_OUT_OF_RANGE without a paid subscription, above the ceiling of the tier, or below the
 *   number of members.
 */
export const setSeats = (context: Context, call: CommandCall, body: SetSeats): Promise<Answered<Seats>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    const operator = await lockOperator(connection, operatorId);
    assertThat(operator, () => notFound('operator'));
    const before = await readSeats(connection, operatorId);
    if (body.purchased_seats === before.purchased_seats) return { status: 200, body: before };
    await buySeats(unit, operatorId, { before, wanted: body.purchased_seats });
    return { status: 200, body: await readSeats(connection, operatorId) };
  });

async function buySeats(
  unit: Unit,
  operatorId: string,
  { before, wanted }: { before: Seats; wanted: number },
): Promise<void> {
  const subscription = await lockSubscription(unit.connection, operatorId);
  assertThat(isPaid(subscription), () =>
    outOfRange('Seats need a paid subscription: POST /v1/billing/subscribe first.', before),
  );
  assertInRange(before, wanted);
  await saveDesiredTerms(unit.connection, operatorId, { ...subscription, purchased_seats: wanted });
  await unit.audit('seats.set', operatorId, { from: before.purchased_seats, to: wanted });
  await unit.wake(lifeId.subscription(operatorId));
  unit.changed(operatorId);
}

function assertInRange(before: Seats, wanted: number): void {
  const { included_seats: included, purchased_seats: bought, seat_ceiling: ceiling, seats_in_use: people } = before;
  if (included === null) {
    // Seats bought before the platform gave this tier are still paid for, so they may be given up.
    assertThat(wanted < bought, () =>
      outOfRange('Your tier has seats without limit; there is nothing to buy.', before),
    );
    return;
  }
  const total = included + wanted;
  assertThat(ceiling === null || total <= ceiling, () =>
    outOfRange(
      `That makes ${total} seats, and your tier can have ${ceiling}; buy fewer, or change to a larger tier.`,
      before,
    ),
  );
  assertThat(total >= people, () =>
    outOfRange(`That makes ${total} seats, and ${people} people have one; keep more, or delete members first.`, before),
  );
}

/** @param seats as they are, for the caller to compare */
const outOfRange = (detail: string, { included_seats, seat_ceiling, seats_in_use }: Seats): CarnetError =>
  new CarnetError('SEATS_OUT_OF_RANGE', detail, { extra: { included_seats, seat_ceiling, seats_in_use } });
