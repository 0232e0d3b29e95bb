import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import { serviceCall } from '../../commands/service-call.ts';
import { announce, inTransaction, openUnit, type Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { unsubscribeLink, writeMail } from '../../mail/index.ts';
import { advanceBriefingRow, describeBriefingRows, findInvited, listBriefed, takeInvitationMail } from './queries.ts';
import type { BriefingItem, BriefingStep } from './schema.ts';
import { invitationLetter, securityLetter, workLetter } from './texts.ts';

/** Seconds: what waited for a day without a mail server is on the page all the same. */
const WORTH_SENDING = 86_400;

/**
 * One step of the life that mails people of an operator: takes what came since the last mail and writes the mails about it, in one
 * transaction, so that nothing is mailed twice and nothing is left out. It may run any number of times.
 */
export async function advanceBriefing(context: Context, operatorId: string): Promise<BriefingStep> {
  const {
    open,
    wait_ms: waitMs,
    until,
    effects,
  } = await inTransaction(context, async (connection) => {
    const opened = openUnit(serviceCall({ operation: 'advanceBriefing', requestId: operatorId }), connection);
    const { items, ...step } = await advanceBriefingRow(connection, operatorId);
    const ofClass = Map.groupBy(items, (item) => item.class);
    await writeBriefings(context, opened.unit, {
      operatorId,
      work: ofClass.get('work') ?? [],
      security: ofClass.get('security') ?? [],
    });
    for (const item of ofClass.get('invitation') ?? [])
      await writeInvitation(context, opened.unit, { operatorId, item });
    return { ...step, effects: opened.effects() };
  });
  announce(context, effects);
  return { open, waitMs, until };
}

interface Due {
  operatorId: string;
  work: readonly BriefingItem[];
  security: readonly BriefingItem[];
}

/** A mail a person and class. Mails about security are for everybody who decides: who could end them could hide what they do. */
async function writeBriefings(context: Context, unit: Unit, { operatorId, work, security }: Due): Promise<void> {
  if (work.length === 0 && security.length === 0) return;
  const { publicBaseUrl: baseUrl } = context.config;
  for (const { id, email: to, off } of await listBriefed(unit.connection, operatorId)) {
    if (work.length > 0 && !off) {
      const letter = workLetter({ items: work, operatorId, baseUrl }, unsubscribeLink(context, id));
      await writeMail(context, unit, { to, ...letter, seconds: WORTH_SENDING, unsubscribe: id });
    }
    if (security.length > 0) {
      const letter = securityLetter({ items: security, operatorId, baseUrl });
      await writeMail(context, unit, { to, ...letter, seconds: WORTH_SENDING });
    }
  }
}

/** Mails who is invited, while they are, and where that does not flood them. */
async function writeInvitation(
  context: Context,
  unit: Unit,
  { operatorId, item: { payload } }: { operatorId: string; item: BriefingItem },
): Promise<void> {
  const to = await findInvited(unit.connection, payload.member_id ?? '');
  if (to === null || !(await takeInvitationMail(unit.connection, operatorId, to))) return;
  const letter = invitationLetter({ role: payload.role, operatorId, baseUrl: context.config.publicBaseUrl });
  await writeMail(context, unit, { to, ...letter, seconds: WORTH_SENDING });
}

/** One query for several ids; ids without a row are left out. */
export const describeBriefings = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(await describeBriefingRows(pool, ids), ({ id }) => ({
    operatorIds: [id],
    summary: `Mails to people of ${id}`,
    details: `Mails owners and administrators of \`${id}\` about what waits for them`,
  }));
