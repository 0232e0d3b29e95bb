import type { Unit } from '../commands/unit.ts';
import type { Context } from '../context/context.ts';
import { newId, type MailId } from '../ids/ids.ts';
import { lifeId } from '../ids/life-ids.ts';
import { insertMail } from './queries.ts';

interface Mail {
  to: string;
  /** Must hold nothing secret: only the text is stored encrypted. */
  subject: string;
  text: string;
  /** How long it is worth sending. */
  seconds: number;
  /** False: does the same work and writes nothing, so that its duration does not reveal whether an address is known. */
  wanted?: boolean;
  /** The destination or member that can end such mails by the link of `unsubscribeLink`; absent: nobody can. */
  unsubscribe?: string;
}

/** The context that the sealed text of a mail is bound to. */
export const mailEncryptionContext = (id: string): string => `mail:${id}`;

/**
 * Writes a mail in the command's transaction. Its life sends it after the commit; without a mail server it stays in the
 * outbox.
 */
export async function writeMail(
  { config, encryption }: Pick<Context, 'config' | 'encryption'>,
  unit: Pick<Unit, 'connection' | 'wake'>,
  { to, subject, text, seconds, wanted = true, unsubscribe }: Mail,
): Promise<MailId> {
  const id = newId('msg');
  const sent = config.mail !== undefined;
  const status = sent ? 'waiting' : 'outbox';
  const sealed = encryption.encrypt(text, mailEncryptionContext(id));
  await insertMail(unit.connection, {
    id,
    to,
    subject,
    text: sealed,
    status,
    seconds,
    wanted,
    unsubscribe: unsubscribe ?? null,
  });
  if (sent) await unit.wake(lifeId.mail(id), to.toLowerCase());
  return id;
}
