import { mailHtml, type Mailer, type OutgoingMail } from '../../src/mail/index.ts';
import type { HandedOver } from '../../src/outbound/outcomes.ts';
import { createTransport } from 'nodemailer';
import type { MailSettings } from '../../src/context/config.ts';
import type { Context } from '../../src/context/context.ts';

/** Nobody knows whether a mail server that is slower than this took the mail. */
const CONNECT_MS = 10_000;
const IDLE_MS = 20_000;

/** The mail server of the settings. */
export const createSmtpMailer = (context: Pick<Context, 'config' | 'log'>): Mailer => ({
  send: (id, mail) => sendBySmtp(context, id, mail),
});

async function sendBySmtp(
  { config, log }: Pick<Context, 'config' | 'log'>,
  id: string,
  { to, subject, text, unsubscribe }: OutgoingMail,
): Promise<HandedOver> {
  const { mail: settings } = config;
  if (settings === undefined) return 'not_taken';
  const messageId = `<${id}@${new URL(config.publicBaseUrl).hostname}>`;
  try {
    // An address as an object is one address, no matter which characters it holds.
    await transport(settings).sendMail({
      from: settings.from,
      to: { name: '', address: to },
      subject,
      text,
      html: mailHtml({ subject, text, baseUrl: config.publicBaseUrl }),
      messageId,
      headers: {
        // No program answers it with a mail of its own (RFC 3834).
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribe !== undefined && {
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
    });
    return 'sent';
  } catch (error) {
    const { outcome, ...fault } = faultOf(error);
    log.warn({ mailId: id, outcome, ...fault }, 'the mail server did not confirm a mail');
    return outcome;
  }
}

const transport = ({ smtpUrl }: MailSettings) =>
  createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** Codes of nodemailer for what ends before the text of a mail is sent. */
const BEFORE_THE_TEXT: ReadonlySet<string> = new Set([
  'EDNS',
  'ETLS',
  'EAUTH',
  'ENOAUTH',
  'EOAUTH2',
  'EENVELOPE',
  'ECONFIG',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECTION_TIMEOUT',
  'GREETING_TIMEOUT',
]);

interface SmtpError {
  code?: string;
  /** The code that nodemailer put `code` in place of. */
  originalCode?: string;
  /** The code of the server's answer; absent where it gave none. */
  responseCode?: number;
  permanent?: boolean;
}

/**
 * Says what an SMTP error means for the mail, and its codes alone: its texts may hold addresses and what the server was sent. A 5xx to the
 * recipient or the message is final; one to the credentials may be corrected.
 */
function faultOf(error: unknown): { outcome: Exclude<HandedOver, 'sent'>; code?: string; responseCode?: number } {
  const { code = '', originalCode = '', responseCode, permanent } = error as SmtpError;
  const codes = { code, ...(responseCode !== undefined && { responseCode }) };
  if (permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')) return { outcome: 'refused', ...codes };
  const isAnswer = responseCode !== undefined;
  const isEarly = BEFORE_THE_TEXT.has(code) || BEFORE_THE_TEXT.has(originalCode);
  return { outcome: isAnswer || isEarly ? 'not_taken' : 'unknown', ...codes };
}
