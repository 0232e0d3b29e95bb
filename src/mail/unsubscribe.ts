import type { Context } from '../context/context.ts';
import type { Encryption } from '../context/encryption.ts';

const PURPOSE = 'unsubscribe';

/**
 * The link that ends mails to somebody: the page there asks, and a POST to it does it (RFC 8058). It can do nothing else, so it may lie in a
 * mailbox for years.
 * @param subject the destination or member, `dst_…` or `mem_…`
 */
export const unsubscribeLink = (
  { config, encryption }: Pick<Context, 'config' | 'encryption'>,
  subject: string,
): string => `${config.publicBaseUrl}/unsubscribe/${subject}.${encryption.mac(subject, PURPOSE)}`;

/** The destination or member of such a link; null where nobody made it here. @param token its last segment */
export function subjectOfUnsubscribing({ macFits }: Pick<Encryption, 'macFits'>, token: string): string | null {
  const [subject = '', mac = ''] = token.split('.');
  return macFits(subject, { purpose: PURPOSE, mac }) ? subject : null;
}
