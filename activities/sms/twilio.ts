import twilio from 'twilio';
import RequestClient from 'twilio/lib/base/RequestClient.js';
import type { Logger } from 'pino';
import type { TwilioSettings } from '../../src/context/config.ts';
import type { Texter } from '../../src/notifications/index.ts';
import type { HandedOver } from '../../src/outbound/outcomes.ts';

const MESSAGING_SERVICE = /^MG[0-9a-fA-F]{32}$/;
/** Twilio answers within a second. */
const TIMEOUT_MS = 10_000;

/** Sends by Twilio's SDK. It tries nothing again, since Twilio has no key by which it would know a second request. */
export function createTwilioTexter({ accountSid, authToken, from, apiBase }: TwilioSettings, log: Logger): Texter {
  const httpClient = new ClientAt(apiBase);
  const client = twilio(accountSid, authToken, { httpClient });
  const sender = MESSAGING_SERVICE.test(from) ? { messagingServiceSid: from } : { from };
  return {
    async send(id, { to, text }) {
      try {
        const { sid } = await client.messages.create({ to, body: text, ...sender });
        log.info({ smsId: id, twilioSid: sid }, 'Twilio took an SMS');
        return 'sent';
      } catch (error) {
        const { outcome, ...codes } = faultOf(error);
        log.warn({ smsId: id, outcome, ...codes }, 'Twilio did not confirm an SMS');
        return outcome;
      }
    },
  };
}

/** The SDK has no setting for another address of the API. */
class ClientAt extends RequestClient {
  readonly #base: URL | null;

  constructor(base: string | undefined) {
    super({ timeout: TIMEOUT_MS, keepAlive: false });
    this.#base = base === undefined ? null : new URL(base);
  }

  override request<Data>(options: RequestClient.RequestOptions<Data>) {
    const uri = new URL(options.uri);
    if (this.#base !== null) {
      uri.protocol = this.#base.protocol;
      uri.host = this.#base.host;
    }
    return super.request<Data>({ ...options, uri: uri.href });
  }
}

/** Codes of Node for what ends before there is a connection. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/**
 * Twilio's codes for what is wrong with the number that the SMS is for, for good (https://www.twilio.com/docs/api/errors): it is none
 * (21211), a short code (21265), the sender itself (21266), no mobile number (21614) or a landline (21635), or its owner has replied STOP
 * (21610). Everything else that is refused is about the account, the sender or the rate, such as a country that the account may not send
 * to (21408), a number that a trial account has not verified (21608), and a sender that cannot reach this number (21612): another setting
 * of the platform mends it.
 */
const OF_THE_NUMBER: ReadonlySet<number | string | undefined> = new Set([
  21_211, 21_265, 21_266, 21_610, 21_614, 21_635,
]);

interface TwilioFault {
  outcome: Exclude<HandedOver, 'sent'>;
  status?: number;
  code?: number | string;
}

/** Says what a failure means for the SMS, and its codes alone: Twilio's words repeat the number. A 5xx may come after the SMS was taken. */
function faultOf(error: unknown): TwilioFault {
  const { status, code } = error as { status?: number; code?: number | string };
  const codes = { ...(status !== undefined && { status }), ...(code !== undefined && { code }) };
  const answered = status !== undefined && status >= 300 && status < 500;
  if (answered) return { outcome: OF_THE_NUMBER.has(code) ? 'refused' : 'not_taken', ...codes };
  const isUnsent = status === undefined && NOT_CONNECTED.has(String(code));
  return { outcome: isUnsent ? 'not_taken' : 'unknown', ...codes };
}
