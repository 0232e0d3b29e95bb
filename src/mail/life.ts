import { describeLives, type LifeDescription } from '../commands/life-description.ts';
import type { Context } from '../context/context.ts';
import { faultPoint } from '../commands/fault-points.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { HandedOver } from '../outbound/outcomes.ts';
import { metrics } from '../metrics/metrics.ts';
import { advanceMailRow, beginMail, describeMailRows, findWaitingMail, putOffMail, settleMail } from './queries.ts';
import type { MailStep } from './schema.ts';
import { unsubscribeLink } from './unsubscribe.ts';
import { mailEncryptionContext } from './write-mail.ts';

/** A mail as it goes out. */
export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  /** The link that ends such mails; absent: there is none. */
  unsubscribe?: string;
}

/** Hands a mail to a mail server. */
export interface Mailer {
  /**
   * Tries once; every failure is an outcome.
   * @param id of the mail; the Message-ID is made of it
   */
  send(id: string, mail: OutgoingMail): Promise<HandedOver>;
}

/** The context of the step that sends. */
export interface MailerContext extends Context {
  readonly mailer: Mailer;
}

const mailsHandedOver = metrics.counter('carnet_mails', 'Mails that were handed to the mail server, by its answer');

/**
 * One step of the life of a mail: deletes the messages that woke it, and the text where its time is over. By the row, so it may
 * run any number of times.
 */
export async function advanceMail({ pool }: Context, id: string): Promise<MailStep> {
  const { status, open, wait_ms: waitMs, expires_at: expiresAt } = await advanceMailRow(pool, id);
  return { status, open, waitMs, expiresAt };
}

/**
 * Hands the mail to the mail server, once: the row says so before the call. Only what the server has certainly not taken is tried again; a
 * call whose outcome is lost is not (decision N10). Nothing is done where the mail was sent or is not wanted.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE where the server may take it later.
 */
export async function sendMail(context: MailerContext, id: string): Promise<void> {
  const { pool, encryption, mailer } = context;
  const mail = await findWaitingMail(pool, id);
  if (mail === null) return;
  const { recipient: to, subject, unsubscribe } = mail;
  const text = encryption.decrypt(mail.text, mailEncryptionContext(id));
  if (!(await beginMail(pool, id))) return;
  faultPoint('sendMail:begun');
  const link = unsubscribe === null ? {} : { unsubscribe: unsubscribeLink(context, unsubscribe) };
  const outcome = await mailer.send(id, { to, subject, text, ...link });
  faultPoint('sendMail:sent');
  mailsHandedOver.add(1, { outcome });
  if (outcome !== 'not_taken') return await settleMail(pool, id, outcome);
  await putOffMail(pool, id);
  throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'The mail server did not take the mail.');
}

/** One query for several ids; ids without a row are left out. Neither with recipient nor text. */
export const describeMails = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(await describeMailRows(pool, ids), ({ id, expires_at: until }) => ({
    operatorIds: [],
    summary: `Mail ${id}`,
    details: `Mail \`${id}\`, to be sent until ${until}`,
  }));
