import { runWaitingCommand, type Answered, type CommandCall } from '../../../commands/run.ts';
import type { Context } from '../../../context/context.ts';
import { CarnetError } from '../../../errors/carnet-error.ts';
import { newId } from '../../../ids/ids.ts';
import { lifeId } from '../../../ids/life-ids.ts';
import { paymentSettings } from '../../payments/settings.ts';
import { portalSeal } from './life.ts';
import { endPortal, findPortal, insertPortal } from './queries.ts';
import type { Portal } from './schema.ts';

/**
 * Opens the provider's page for invoices and payment methods (decisions B16); who is no customer yet becomes one. The address is kept
 * no longer than until it is answered.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED, PAYMENT_REFUSED, TEMPORARILY_UNAVAILABLE where nobody opens it in time, INVALID_STATE
 *   where the call is made again with its key after nobody wanted the page any more.
 */
export async function openPortal(context: Context, call: CommandCall): Promise<Answered<Portal>> {
  paymentSettings(context);
  const { pool, delivery, encryption } = context;
  const { operatorId } = call.caller;
  const id = newId('prt');
  return runWaitingCommand(context, call, id, {
    begin: async (unit) => {
      await insertPortal(unit.connection, { id, operatorId });
      await unit.audit('portal.opened', id);
      await unit.wake(lifeId.portal(id), 'asked');
    },
    wait: async (portalId) => {
      if ((await findPortal(pool, portalId))?.status === 'opening') await delivery.ready(lifeId.portal(portalId));
    },
    answer: async ({ connection }, portalId) => {
      const portal = await findPortal(connection, portalId);
      if (portal?.status === 'open' && portal.url !== null) {
        await endPortal(connection, portalId, 'answered');
        return { status: 200, body: { url: encryption.open(portal.url, portalSeal(portalId)) } };
      }
      if (portal?.status === 'refused') {
        throw new CarnetError('PAYMENT_REFUSED', 'The payment provider opens no portal for you; ask us why.');
      }
      if (portal?.status === 'opening') {
        const detail = 'The portal is not open yet. Send the same request again with the same Idempotency-Key.';
        throw new CarnetError('TEMPORARILY_UNAVAILABLE', detail, { headers: { 'Retry-After': '5' } });
      }
      throw new CarnetError('INVALID_STATE', 'The portal that this key opened is closed; send the request again.');
    },
  });
}
