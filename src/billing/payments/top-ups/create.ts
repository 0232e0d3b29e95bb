import type { Answered, CommandCall } from '../../../commands/command.ts';
import { runWaitingCommand } from '../../../commands/waiting.ts';
import type { Unit } from '../../../commands/unit.ts';
import type { Context } from '../../../context/context.ts';
import { assertThat, CarnetError } from '../../../errors/carnet-error.ts';
import { newId } from '../../../ids/ids.ts';
import { lifeId } from '../../../ids/life-ids.ts';
import { assertCanOpen, openForCaller } from '../open-for-caller.ts';
import { pageNotOpenYet, pageRefused } from '../page-refusals.ts';
import { paymentSettings } from '../settings.ts';
import { openTopUp } from './life.ts';
import { insertTopUp, makeRoomForTopUp, noteGiven, readTopUp, type TopUpRow } from './queries.ts';
import { isUnpaid, type CreateTopUp, type TopUp } from './schema.ts';
import { checkoutEncryptionContext } from './encryption-contexts.ts';

/**
 * Begins a top-up and returns the page where it is paid. The checkout is opened under the top-up's
 * id, so a call that is repeated with its Idempotency-Key gets the same session.
 * @throws CarnetError RATE_LIMITED with Retry-After where twenty are being opened, PAYMENTS_NOT_CONFIGURED, PAYMENT_REFUSED, TEMPORARILY_UNAVAILABLE where the provider does not open it in
 *   time, INVALID_STATE where the session of this key is over.
 */
export async function createTopUp(
  context: Context,
  call: CommandCall,
  { amount_cents: amountCents }: CreateTopUp,
): Promise<Answered<TopUp>> {
  const { provider } = paymentSettings(context);
  const { operatorId } = call.caller;
  const id = newId('top');
  return runWaitingCommand(context, call, {
    id,
    async begin(unit) {
      assertCanOpen(context, operatorId);
      await makeRoom(unit, call);
      await insertTopUp(unit.connection, {
        id,
        operatorId,
        provider,
        amountCents,
        seconds: context.config.topUpSessionSeconds,
        returnTo: context.config.publicBaseUrl,
      });
      await unit.lookLater(lifeId['top-up'](id));
      await unit.audit('top_up.begun', id, { amount_cents: amountCents });
    },
    async wait(begun) {
      if ((await readTopUp(context.pool, begun)).status !== 'opening') return;
      await openForCaller(context, operatorId, (watched) => openTopUp(watched, begun));
    },
    async answer(unit, begun) {
      // Not before: the life would open the checkout beside this call. Where a call does not come this far, somebody looks later.
      await unit.wake(lifeId['top-up'](begun));
      const body = answerOf(context, await readTopUp(unit.connection, begun));
      await noteGiven(unit.connection, begun);
      return { status: 200, body };
    },
  });
}

/**
 * Checkouts of one operator that may wait to be paid at a time: each is a page and a life of a day at the provider, and
 * a person pays one.
 */
const OPEN_TOP_UPS = 20;

/**
 * Where twenty wait, one of them gives way: nobody who pays none is kept from paying another. It is over in this transaction, since an operator
 * would be locked out while the provider is away. Pages that nobody was given count too: a caller whose calls are all 503 could make any number.
 */
async function makeRoom(unit: Unit, call: CommandCall): Promise<void> {
  const { requestId, caller } = call;
  const seconds = await makeRoomForTopUp(unit.connection, {
    operatorId: caller.operatorId,
    most: OPEN_TOP_UPS,
    requestId,
  });
  assertThat(seconds === null, () => {
    const detail = `${OPEN_TOP_UPS} checkouts of this operator are being opened; send the request again.`;
    return new CarnetError('RATE_LIMITED', detail, { headers: { 'Retry-After': String(seconds) } });
  });
}

function answerOf(
  { encryption }: Context,
  { id, status, past, session_id: sessionId, checkout_url: sealed }: TopUpRow,
): TopUp {
  if (sealed !== null && sessionId !== null && !past) {
    return { checkout_url: encryption.decrypt(sealed, checkoutEncryptionContext(id)), session_id: sessionId };
  }
  if (status === 'opening' && !past) throw pageNotOpenYet('checkout');
  if (status === 'refused') throw pageRefused('checkout for this amount', 'send another amount');
  throw new CarnetError(
    'INVALID_STATE',
    `The checkout of this Idempotency-Key is over (${past && isUnpaid(status) ? 'expired' : status}); send the request with a new key.`,
  );
}
