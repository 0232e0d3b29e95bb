import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TwilioSettings } from '../../src/context/config.ts';

/**
 * The parameters of POST /2010-04-01/Accounts/{AccountSid}/Messages.json that we may send, and what each must be, by
 * `spec/json/twilio_api_v2010.json` of github.com/twilio/twilio-oai at d50069b (14 April 2026). `To` is required there; that a text is too,
 * and `From` or `MessagingServiceSid`, and that a text has 1,600 characters at most, stands in its descriptions. `To` takes other
 * channels as well, such as `whatsapp:`, which we do not send by; of the other parameters, such as `MediaUrl` and `SendAt`, we need none.
 */
const PARAMETERS: Record<string, RegExp> = {
  To: /^\+[1-9]\d{1,14}$/,
  From: /^(\+[1-9]\d{1,14}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}|\d{3,6})$/,
  MessagingServiceSid: /^MG[0-9a-fA-F]{32}$/,
  Body: /^[^]{1,1600}$/,
};

/** The answer of Twilio to a request that is not as its reference says: 400 with a code of its own. */
function faultOf(form: URLSearchParams): { code: number; message: string } | null {
  for (const [name, value] of form) {
    const pattern = PARAMETERS[name];
    if (pattern === undefined) return { code: 20_001, message: `Unknown parameter ${name}` };
    if (form.getAll(name).length > 1) return { code: 20_001, message: `Parameter ${name} is there twice` };
    if (!pattern.test(value)) return { code: name === 'To' ? 21_211 : 21_212, message: `Invalid '${name}': ${value}` };
  }
  if (!form.has('To')) return { code: 21_604, message: "A 'To' phone number is required." };
  if (!form.has('Body')) return { code: 21_602, message: 'Message body is required.' };
  if (!form.has('From') && !form.has('MessagingServiceSid'))
    return { code: 21_603, message: "A 'From' phone number is required." };
  return null;
}

export interface TwilioDouble {
  settings: TwilioSettings;
  /** The messages that it took. */
  taken: { To: string; Body: string; From?: string; MessagingServiceSid?: string }[];
  /** Requests of any kind. */
  calls(): number;
  /** How it answers what is right: 201, another status with a code, or not at all. */
  answer: 'created' | { status: number; code: number } | 'hang' | 'reset';
  stop(): Promise<void>;
}

/** Twilio's API for messages, on this machine: it takes what the reference allows and refuses everything else. */
export async function startTwilio({ from = '+15005550006' }: { from?: string } = {}): Promise<TwilioDouble> {
  const accountSid = `AC${'0123456789abcdef'.repeat(2)}`;
  const authToken = 'a-token-that-no-history-may-hold';
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const reply = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      const problem = (status: number, code: number, message: string): void =>
        reply(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });
      if (request.method !== 'POST' || request.url !== `/2010-04-01/Accounts/${accountSid}/Messages.json`)
        return problem(404, 20_404, `The requested resource ${request.url ?? ''} was not found`);
      const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
      if (request.headers.authorization !== expected) return problem(401, 20_003, 'Authenticate');
      if (request.headers['content-type'] !== 'application/x-www-form-urlencoded')
        return problem(415, 20_005, 'Unsupported media type');
      const form = new URLSearchParams(Buffer.concat(parts).toString());
      const fault = faultOf(form);
      if (fault !== null) return problem(400, fault.code, fault.message);
      if (double.answer === 'hang') return undefined;
      if (double.answer === 'reset') return void request.socket.resetAndDestroy();
      if (double.answer !== 'created') return problem(double.answer.status, double.answer.code, 'No');
      double.taken.push(Object.fromEntries(form) as TwilioDouble['taken'][number]);
      return reply(201, { sid: `SM${'f'.repeat(32)}`, status: 'queued', to: form.get('To'), body: form.get('Body') });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const double: TwilioDouble = {
    settings: { provider: 'twilio', accountSid, authToken, from, apiBase },
    taken: [],
    calls: () => calls,
    answer: 'created',
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return double;
}
