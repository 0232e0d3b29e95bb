import type { Context } from '../context/context.ts';
import type { Encryption } from '../context/encryption.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { newId } from '../ids/ids.ts';
import { countOutbox, insertOutboxMessage, listOutbox } from './queries.ts';
import type { OutboxMessage } from './schema.ts';
import { mailEncryptionContext } from './write-mail.ts';

/** A mail may have been sealed under a key that was removed from ENCRYPTION_KEY since; the list shows the others. */
function decryptText({ decrypt }: Encryption, { id, sealed }: { id: string; sealed: string }): string {
  try {
    return decrypt(sealed, mailEncryptionContext(id));
  } catch {
    return 'No key in ENCRYPTION_KEY decrypts this text.';
  }
}

/** Keeps a mail or an SMS that nobody sends; its text is sealed. Once for each call. */
export async function keepInOutbox(
  { pool, encryption }: Pick<Context, 'pool' | 'encryption'>,
  { channel, to, subject, text }: Omit<OutboxMessage, 'id' | 'created_at'>,
): Promise<void> {
  const id = newId('msg');
  await insertOutboxMessage(pool, {
    id,
    channel,
    to,
    subject,
    text: encryption.encrypt(text, mailEncryptionContext(id)),
  });
}

/**
 * The mails and SMS that stay here because nobody is configured who sends them, newest first.
 * @throws CarnetError NOT_FOUND where all are sent
 */
export async function pageOfOutbox(
  { config, pool, encryption }: Context,
  { to, limit, offset }: { to?: string | undefined; limit: number; offset: number },
): Promise<{ items: OutboxMessage[]; total: number }> {
  assertThat(config.mail === undefined || config.sms?.provider === 'outbox', () =>
    notFound('outbox: what is written is sent'),
  );
  const [rows, total] = await Promise.all([listOutbox(pool, { to, limit, offset }), countOutbox(pool, to)]);
  const items = rows.map(({ id, channel, recipient, subject, text, created_at }) => ({
    id,
    channel,
    to: recipient,
    subject,
    text: decryptText(encryption, { id, sealed: text }),
    created_at,
  }));
  return { items, total };
}
