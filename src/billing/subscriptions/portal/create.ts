import type { Answered, CommandCall } from '../../../commands/command.ts';
import { runWaitingCommand } from '../../../commands/waiting.ts';
import type { Context } from '../../../context/context.ts';
import { CarnetError } from '../../../errors/carnet-error.ts';
import { newId } from '../../../ids/ids.ts';
import { lifeId } from '../../../ids/life-ids.ts';
import { assertCanOpen, openForCaller } from '../../payments/open-for-caller.ts';
import { pageNotOpenYet, pageRefused } from '../../payments/page-refusals.ts';
import { paymentSettings } from '../../payments/settings.ts';
import { openPortalPage, portalEncryptionContext } from './life.ts';
import { endPortal, findPortal, insertPortal } from './queries.ts';
import type { Portal } from './schema.ts';

/**
 * Opens the provider's page for invoices and payment methods; an operator that is no customer yet becomes one. The
 * address is deleted as soon as it was returned once: everybody who has it can act for the customer. Nothing is left for a life then;
 * it is looked at later where the page was not opened in time.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED, PAYMENT_REFUSED, TEMPORARILY_UNAVAILABLE where the provider does not open it
 *   in time, INVALID_STATE where the call is repeated with its key after the page was given up.
 */
export async function openPortal(context: Context, call: CommandCall): Promise<Answered<Portal>> {
  paymentSettings(context);
  const { encryption } = context;
  const { operatorId } = call.caller;
  const id = newId('prt');
  return runWaitingCommand(context, call, {
    id,
    begin: async (unit) => {
      assertCanOpen(context, operatorId);
      await insertPortal(unit.connection, { id, operatorId, returnTo: context.config.publicBaseUrl });
      await unit.lookLater(lifeId.portal(id));
      await unit.audit('portal.opened', id);
    },
    async wait(portalId) {
      if ((await findPortal(context.pool, portalId))?.status !== 'opening') return;
      await openForCaller(context, operatorId, (watched) => openPortalPage(watched, portalId));
    },
    answer: async ({ connection, lookNoMore }, portalId) => {
      const portal = await findPortal(connection, portalId);
      if (portal?.status === 'open' && portal.url !== null) {
        await endPortal(connection, portalId, 'answered');
        await lookNoMore(lifeId.portal(portalId));
        return { status: 200, body: { url: encryption.decrypt(portal.url, portalEncryptionContext(portalId)) } };
      }
      if (portal?.status === 'opening') throw pageNotOpenYet('portal');
      if (portal?.status === 'refused') throw pageRefused('portal');
      const detail = 'The portal of this Idempotency-Key is closed; send the request with a new key.';
      throw new CarnetError('INVALID_STATE', detail);
    },
  });
}
