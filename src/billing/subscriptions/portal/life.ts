import type { Context } from '../../../context/context.ts';
import { faultPoint } from '../../../commands/fault-points.ts';
import { forCustomer } from '../../payments/customers.ts';
import { describeLives, type LifeDescription } from '../../../commands/life-description.ts';
import { portalConfigurationOf } from '../../payments/portal-configuration.ts';
import { PaymentRefused } from '../../../context/payment-provider.ts';
import { advancePortalRow, describePortalRows, endPortal, findPortal, savePortalUrl } from './queries.ts';
import type { PortalStatus } from './schema.ts';

/** Names what the sealed address of a portal belongs to. */
export const portalEncryptionContext = (portalId: string): string => `portal:${portalId}`;

/** Where a portal session stands; its life never waits. */
interface PortalStep {
  status: PortalStatus;
  waitMs: null;
}

/**
 * One step of the life of a portal session: deletes the messages that woke it, and gives it up when nobody waits for it
 * any more.
 */
export const advancePortal = async ({ pool }: Context, id: string): Promise<PortalStep> => ({
  status: await advancePortalRow(pool, id),
  waitMs: null,
});

/** Opens the page under the session's own id; once the row says so it is never opened again. */
export async function openPortalPage(context: Context, id: string): Promise<void> {
  const { pool, encryption, log, payments } = context;
  const portal = await findPortal(pool, id);
  if (portal?.status !== 'opening') return;
  try {
    const returnTo = portal.return_to;
    const configurationId = await portalConfigurationOf(context);
    const { url } = await forCustomer(context, portal.operator_id, (customer) =>
      payments.openPortal({ portalId: id, ...customer, configurationId, returnTo }),
    );
    faultPoint('openPortalPage:opened');
    await savePortalUrl(pool, id, encryption.encrypt(url, portalEncryptionContext(id)));
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    log.error({ portalId: id, reason: error.message }, 'the payment provider refuses to open a portal');
    await endPortal(pool, id, 'refused');
  }
}

/** One query for several ids; ids without a row are left out. Never with its address. */
export const describePortals = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(await describePortalRows(pool, ids), ({ id, operator_id: operatorId }) => ({
    operatorIds: [operatorId],
    summary: `Portal of ${operatorId}`,
    details: `Page \`${id}\` of the payment provider, for \`${operatorId}\``,
  }));
