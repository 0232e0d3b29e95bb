import type { MailOutcome, Mailer, OutgoingMail } from '../../src/mail/index.ts';
import { createTransport } from 'nodemailer';
import type { MailSettings } from '../../src/context/config.ts';
import type { Context } from '../../src/context/context.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';

/** A mail server that is slower than this is tried again. */
const CONNECT_MS = 10_000;
const IDLE_MS = 20_000;

/** The mail server of the settings. */
export const createSmtpMailer = (context: Pick<Context, 'config' | 'log'>): Mailer => ({
  send: (id, mail) => sendBySmtp(context, id, mail),
});

async function sendBySmtp(
  { config, log }: Pick<Context, 'config' | 'log'>,
  id: string,
  { to, subject, text }: OutgoingMail,
): Promise<MailOutcome> {
  const { mail: settings } = config;
  if (settings === undefined) throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'This worker has no mail server.');
  const messageId = `<${id}@${new URL(config.publicBaseUrl).hostname}>`;
  try {
    // An address as an object is one address, whatever characters it holds.
    await transport(settings).sendMail({
      from: settings.from,
      to: { name: '', address: to },
      subject,
      text,
      messageId,
    });
    return 'sent';
  } catch (error) {
    const fault = faultOf(error);
    log.warn(
      { mailId: id, ...fault },
      fault.final ? 'the mail server refused a mail for good' : 'a mail was not sent; it is tried again',
    );
    if (fault.final) return 'refused';
    throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'The mail server did not take the mail.');
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

interface SmtpFault {
  code: string | undefined;
  responseCode: number | undefined;
  /** A 5xx to the recipient or the message; one to the credentials may be corrected. */
  final: boolean;
}

/** Of an SMTP error its codes alone: its texts may hold addresses and what the server was sent. */
function faultOf(error: unknown): SmtpFault {
  const { code, responseCode, permanent } = error as { code?: string; responseCode?: number; permanent?: boolean };
  return { code, responseCode, final: permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE') };
}
