import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, textOf } from './bounded.ts';
import { refusal, UnclearError, type CarnetError } from './errors.ts';
import { OPERATIONS, type Operations } from './generated.ts';

export interface ClientOptions {
  /** An API key, or an access token. Left out: CARNET_API_KEY. */
  apiKey?: string;
  /** Where the service is. Left out: CARNET_BASE_URL. */
  baseUrl?: string;
  fetch?: typeof fetch;
  /** How long a call is tried again, in milliseconds; 60,000 unless set. */
  patienceMs?: number;
}

/** Beside the arguments of an operation. */
export interface CallOptions {
  /** The key of a call that changes something; made where it is left out, and kept over the tries of this call. */
  idempotencyKey?: string;
  /** Seconds that the service waits for an outcome, on the calls that take `Prefer: wait`. */
  wait?: number;
  /** `approval_id` that a person has approved. */
  approval?: string;
  patienceMs?: number;
  signal?: AbortSignal;
}

type Arguments<Name extends keyof Operations> = Operations[Name]['arguments'] & CallOptions;
/** Each operation of the service: `api.getBalance()`, `api.readSkill({ path: { id } })`. */
export type Api = {
  [Name in keyof Operations]: (
    ...args: object extends Operations[Name]['arguments'] ? [call?: Arguments<Name>] : [call: Arguments<Name>]
  ) => Promise<Operations[Name]['answer']>;
};
/** As every operation is called, whatever its own arguments are. */
type AnyCall = CallOptions & {
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
};

/** An answer takes this long at most, beside the seconds that the service was asked to wait. */
const ANSWER_MS = 30_000;
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;
/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** No answer of the service is a tenth as long. */
const LARGEST_ANSWER = 2 ** 26;
/** Refused for now: nothing was done, and the same call may succeed a little later. */
const FOR_NOW = new Set([
  'RATE_LIMITED',
  'IDEMPOTENCY_IN_FLIGHT',
  'OVERLOADED',
  'TEMPORARILY_UNAVAILABLE',
  'REQUEST_TIMEOUT',
]);
/** Before a byte of the request was sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Why a try gave no answer: it is tried again where that is safe. */
class Unanswered extends Error {
  readonly sent: boolean;

  constructor(message: string, { sent = true, cause }: { sent?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** The client that everything else here is made of: one function for each operation of openapi.json. */
export function createApi(options: ClientOptions = {}): { api: Api; baseUrl: string } {
  const baseUrl = (options.baseUrl ?? process.env['CARNET_BASE_URL'] ?? '').replace(/\/+$/, '');
  const apiKey = options.apiKey ?? process.env['CARNET_API_KEY'];
  if (!/^https?:\/\//.test(baseUrl))
    throw new TypeError('Carnet needs a baseUrl that begins with http:// or https://; or set CARNET_BASE_URL.');
  // The refusal names no value: it is a secret.
  if (apiKey !== undefined && !/^[\x21-\x7e]*$/.test(apiKey))
    throw new TypeError('The API key has a character that no key has, as a space or a line break.');
  const client = { fetch: options.fetch ?? fetch, patienceMs: options.patienceMs ?? PATIENCE_MS, baseUrl, apiKey };
  const names = Object.keys(OPERATIONS) as (keyof Operations)[];
  const api = Object.fromEntries(names.map((name) => [name, (call: AnyCall = {}) => perform(client, name, call)]));
  return { api: api as unknown as Api, baseUrl };
}

interface Client {
  fetch: typeof fetch;
  baseUrl: string;
  apiKey: string | undefined;
  patienceMs: number;
}

/** Tries until there is an answer, the patience is over, or a try cannot be repeated. */
async function perform(client: Client, name: keyof Operations, call: AnyCall): Promise<unknown> {
  const [method, , takesKey] = OPERATIONS[name];
  const idempotencyKey = takesKey ? (call.idempotencyKey ?? randomUUID()) : undefined;
  const request = requestOf(client, name, { ...call, ...(idempotencyKey !== undefined && { idempotencyKey }) });
  // Without a key, a change that may have happened is not repeated.
  const repeatable = takesKey || method === 'GET';
  const until = Date.now() + (call.patienceMs ?? client.patienceMs);
  let mayHaveHappened = false;
  for (let tries = 0; ; tries += 1) {
    call.signal?.throwIfAborted();
    const outcome = await attempt(client, request, call);
    if (!('failed' in outcome)) return outcome.answer;
    const { failed } = outcome;
    const unanswered = failed instanceof Unanswered;
    if (unanswered && failed.sent && method !== 'GET') mayHaveHappened = true;
    const pause = pauseBefore(tries, unanswered ? undefined : failed.retryAfter);
    const again = unanswered
      ? repeatable || !failed.sent
      : FOR_NOW.has(failed.code) || (failed.status >= 500 && repeatable);
    if (!again || Date.now() + pause > until) {
      // A refusal after a try without an answer says nothing about that try where it refuses for now alone.
      if (!unanswered && !(mayHaveHappened && again)) throw failed;
      throw new UnclearError(name, { cause: failed, idempotencyKey, mayHaveHappened });
    }
    await sleep(pause, undefined, call.signal && { signal: call.signal });
  }
}

/** Doubles, with chance in it so that many clients do not come back together; never earlier than the service says. */
export const pauseBefore = (tries: number, retryAfter: number | undefined): number => {
  const doubled = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
  return Math.min(LONGEST_TIMER_MS, (retryAfter ?? 0) * 1_000 + doubled * (0.5 + Math.random() / 2));
};

/** Digits alone: what is below 0 would have the client come back at once, for ever. */
const secondsOf = (header: string | null): number | undefined =>
  /^\d{1,8}$/.test(header ?? '') ? Number(header) : undefined;

type Outcome = { answer: unknown } | { failed: CarnetError | Unanswered };

type Sent = RequestInit & { address: string };

/** @throws TypeError for what cannot be sent, so that it is not tried again */
function requestOf(client: Client, name: keyof Operations, call: AnyCall): Sent {
  const [method, path, , media] = OPERATIONS[name];
  return {
    address: client.baseUrl + addressOf(path, call),
    method,
    headers: headersOf(client, call, media),
    // Elsewhere the key would be sent to a stranger.
    redirect: 'error',
    ...(media !== null && { body: bodyOf(call.body, media) }),
  };
}

async function attempt(client: Client, { address, ...request }: Sent, call: AnyCall): Promise<Outcome> {
  const timeout = AbortSignal.timeout(ANSWER_MS + (call.wait ?? 0) * 1_000);
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
  try {
    const response = await client.fetch(address, { ...request, signal });
    return await read(client, response);
  } catch (error) {
    call.signal?.throwIfAborted();
    if (error instanceof Unanswered) return { failed: error };
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const code = (cause as { code?: string }).code ?? '';
    const message = (cause as Partial<Error>).message ?? String(cause);
    return { failed: new Unanswered(message, { cause: error, sent: !NOT_SENT.has(code) }) };
  }
}

function addressOf(path: string, { path: given = {}, query = {} }: AnyCall): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name];
    // A dot or two would be taken out of the path, and another operation be called.
    if (value === undefined || /^\.{0,2}$/.test(value)) throw new TypeError(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function headersOf({ apiKey }: Client, { idempotencyKey, wait, approval }: AnyCall, media: string | null): Headers {
  const headers = new Headers({ accept: 'application/json, */*' });
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  if (media !== null) headers.set('content-type', media);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (wait !== undefined) headers.set('prefer', `wait=${wait}`);
  if (approval !== undefined) headers.set('x-governance-approval', approval);
  return headers;
}

const bodyOf = (body: unknown, media: string): string =>
  media === 'application/json' ? JSON.stringify(body ?? {}) : String(body);

/** @throws Unanswered where the answer is none of the service's: of a proxy, or cut */
async function read({ baseUrl, apiKey }: Client, response: Response): Promise<Outcome> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('application/octet-stream'))
    return { answer: await bytesOf(response, LARGEST_ANSWER) };
  const text = await textOf(response, LARGEST_ANSWER);
  if (response.ok && !/[/+]json\b/.test(type)) {
    if (/^text\/html\b/.test(type)) throw new Unanswered('The answer is a page in HTML, so it is not of the service.');
    return { answer: text === '' ? undefined : text };
  }
  const value = jsonOf(text);
  if (response.ok) return { answer: value };
  const problem = value as { code?: unknown; detail?: unknown };
  if (typeof problem.code !== 'string' || typeof problem.detail !== 'string')
    throw new Unanswered(`${response.status} was answered, without a reason.`);
  const more = { baseUrl, retryAfter: secondsOf(response.headers.get('retry-after')) };
  const { code } = problem;
  const detail =
    code === 'UNAUTHENTICATED' && apiKey === undefined
      ? 'Carnet needs an apiKey here; or set CARNET_API_KEY.'
      : problem.detail;
  return { failed: refusal({ ...problem, code, detail, status: response.status }, more) };
}

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    throw new Unanswered('The answer cannot be read.', { cause: error });
  }
  throw new Unanswered('The answer is no object.');
}
