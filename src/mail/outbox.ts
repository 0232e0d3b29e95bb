import type { Context } from '../context/context.ts';
import type { Encryption } from '../context/encryption.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { countOutbox, listOutbox } from './queries.ts';
import type { OutboxMessage } from './schema.ts';
import { mailSeal } from './write-mail.ts';

/** A mail may have been sealed under a key that was removed from ENCRYPTION_KEY since; the list shows the others. */
function openText({ open }: Encryption, id: string, sealed: string): string {
  try {
    return open(sealed, mailSeal(id));
  } catch {
    return 'No key in ENCRYPTION_KEY decrypts this text.';
  }
}

/**
 * The mails that stay here because there is no mail server, newest first (decision O5).
 * @throws CarnetError NOT_FOUND where there is one
 */
export async function pageOfOutbox(
  { config, pool, encryption }: Context,
  { to, limit, offset }: { to?: string | undefined; limit: number; offset: number },
): Promise<{ items: OutboxMessage[]; total: number }> {
  assertThat(config.mail === undefined, () => notFound('outbox: mail is sent by SMTP'));
  const [rows, total] = await Promise.all([listOutbox(pool, { to, limit, offset }), countOutbox(pool, to)]);
  const items = rows.map(({ id, recipient, subject, text, created_at }) => ({
    id,
    channel: 'email' as const,
    to: recipient,
    subject,
    text: openText(encryption, id, text),
    created_at,
  }));
  return { items, total };
}
