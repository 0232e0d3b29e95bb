import { describeLives, type LifeDescription } from '../commands/life-description.ts';
import type { Context } from '../context/context.ts';
import { step } from '../commands/fault-points.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { HandedOver } from '../outbound/outcomes.ts';
import { advanceMailRow, describeMailRows, findWaitingMail, settleMail } from './queries.ts';
import type { MailStep } from './schema.ts';
import { mailSeal } from './write-mail.ts';

/** A mail as it goes out. */
export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
}

/** Hands a mail to a mail server. */
export interface Mailer {
  /**
   * Tries once; every failure is an outcome.
   * @param id of the mail; the Message-ID is made of it, by which a mailbox may recognise a second one
   */
  send(id: string, mail: OutgoingMail): Promise<HandedOver>;
}

/** The context of the step that sends. */
export interface MailerContext extends Context {
  readonly mailer: Mailer;
}

/**
 * One step of the life of a mail: deletes the messages that woke it, and the text where its time is over. By the row, so it may
 * run any number of times.
 */
export async function advanceMail({ pool }: Context, id: string): Promise<MailStep> {
  const { status, open, wait_ms: waitMs, expires_at: expiresAt } = await advanceMailRow(pool, id);
  return { status, open, waitMs, expiresAt };
}

/** A mail that may have been taken is sent again: two are better than none. */
const STATUS = { sent: 'sent', refused: 'refused', not_taken: 'again', unknown: 'again' } as const;

/**
 * Reads the mail, sends it, and writes down what came of it; nothing is done where it was sent or is not wanted. Sending is at least
 * once: where it is unknown whether the server took it, it is sent again.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE where the server may take it later.
 */
export async function sendMail({ pool, encryption, mailer }: MailerContext, id: string): Promise<void> {
  const mail = await findWaitingMail(pool, id);
  if (mail === null) return;
  const { recipient: to, subject, text } = mail;
  const outcome = await mailer.send(id, { to, subject, text: encryption.open(text, mailSeal(id)) });
  step('sendMail:sent');
  const status = STATUS[outcome];
  if (status === 'again') throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'The mail server did not take the mail.');
  await settleMail(pool, id, status);
}

/** One query for several ids; ids without a row are left out. Neither with recipient nor text. */
export const describeMails = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(await describeMailRows(pool, ids), ({ id, expires_at: until }) => ({
    operatorIds: [],
    summary: `Mail ${id}`,
    details: `Mail \`${id}\`, to be sent until ${until}`,
  }));
