import { Resolver } from 'node:dns/promises';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Client } from 'undici';
import { connectTo } from './connect.ts';
import { parseOutboundUrl, type OutboundUrl, type Policy, type Refused } from './outbound-url.ts';
import { activeTraceparent, inSpan } from '../tracing/tracing.ts';
import { readReply, type Reply } from './reply.ts';
import { resolveAddress, type DnsResolver, type NotSent, type Resolved } from './resolve.ts';
import { endingOf, orAborted, within, type Ending } from './within.ts';

export { rules, type OutboundUrl, type Refused, type Rule } from './outbound-url.ts';
export type { DnsResolver, NotSent, Resolved } from './resolve.ts';

/** One POST to an address that a user chose. */
export interface OutboundRequest {
  /** As the user wrote it or as it was kept: it is parsed and checked at each call. */
  url: string;
  /** Without those that the client sets itself, `OWN_HEADERS`. */
  headers: Readonly<Record<string, string>>;
  /** Sent as these bytes; a text as UTF-8. */
  body: string | Uint8Array;
  /** Milliseconds for the whole call, DNS and reading the reply included. */
  timeoutMs: number;
  /** Bytes of the reply's body that are read at most. */
  maxReplyBytes: number;
  /** Bytes of it that `replyText` has at most: 4,096, which is enough for a log, unless a caller reads what was answered. */
  replyTextBytes?: number;
  signal?: AbortSignal;
}

/** The receiver's status is known; what it means, a redirect too, is the caller's matter. */
export interface Answered extends Reply {
  outcome: 'answered';
  /** 200 to 599. */
  status: number;
}

/** Bytes of the request may have left, and no status came back: the receiver may have taken it or not. */
export interface Unknown {
  outcome: 'unknown';
  cause: Ending | 'broken';
  sentence: string;
}

/** The outcome of a call; `latencyMs` is from its beginning to the end of the headers of the answer, or to its failure. */
export type SendOutcome = (Answered | Refused | NotSent | Unknown) & { latencyMs: number };

/** Calls to addresses that users choose, kept away from everything that is not on the internet. */
export interface Outbound {
  /** Holds an address against every rule that needs no DNS. */
  parse(text: string): OutboundUrl | Refused;
  /**
   * As `parse`, then by DNS, for the moment in which somebody names an address. `not_sent` means that DNS does not say now: each
   * `send` decides again.
   */
  check(text: string, signal?: AbortSignal): Promise<Resolved | Refused | NotSent>;
  /**
   * Calls once, and never again by itself. Every failure is an outcome.
   * @throws TypeError for headers that are none, or that the client sets itself: a fault of the caller, before anything is sent.
   */
  send(request: OutboundRequest): Promise<SendOutcome>;
}

/** The parts that `createOutbound` is made of. */
export interface OutboundOptions extends Policy {
  /** Follows the machine's own settings unless given. It does not read /etc/hosts. */
  resolver?: DnsResolver;
  /** PEM of the authorities whose certificates are trusted instead of those of Node. */
  ca?: string;
}

/** Headers of the connection, which the client sets; a caller who sets one could split the request in two. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'accept-encoding',
]);
/** Bytes of the headers of an answer, as Node's own client has it. */
const MAX_HEADER_BYTES = 16_384;
/** Answers of the kind "wait", 102 and 103, before the real one; some servers send one or two. */
const MAX_INTERIM = 8;

const UNKNOWN_SENTENCES: Readonly<Record<Unknown['cause'], string>> = {
  timeout: 'The request was sent, and no answer came in time.',
  aborted: 'The call was given up while the request was being sent.',
  broken: 'The connection ended, or brought something that is no HTTP answer, after the request was sent.',
};

/** Makes a client; it keeps no connection and no answer of DNS from one call to the next, so there is nothing to close. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { allowLoopback, publicBaseUrl, ca } = options;
  const policy: Policy = { allowLoopback, publicBaseUrl };
  // One for all calls: to make it reads every certificate.
  const secureContext = createSecureContext({ ca });
  // Not dns.lookup, which would fill the four threads of libuv while a server of DNS hangs. One second, then once more.
  const resolver = options.resolver ?? new Resolver({ timeout: 1_000, tries: 2 });

  const check = async (text: string, signal?: AbortSignal): Promise<Resolved | Refused | NotSent> => {
    const url = parseOutboundUrl(text, policy);
    return url.outcome === 'refused' ? url : await resolveAddress(url, { policy, resolver, signal });
  };

  const call = async (
    request: OutboundRequest,
    signal: AbortSignal,
  ): Promise<(Answered | Refused | NotSent | Unknown) & { at: number }> => {
    const now = <Outcome extends object>(outcome: Outcome) => ({ ...outcome, at: performance.now() });
    const url = parseOutboundUrl(request.url, policy);
    if (url.outcome === 'refused') return now(url);
    const resolved = await resolveAddress(url, { policy, resolver, signal });
    if (resolved.outcome !== 'resolved') return now(resolved);
    const connected = await connectTo(url, resolved.addresses, { policy, secureContext, signal });
    if (connected.outcome !== 'connected') return now(connected);
    return await exchange(url, connected.socket, { request, signal });
  };

  return {
    parse: (text) => parseOutboundUrl(text, policy),
    check,
    send(request) {
      return inSpan('POST', { outside: true, attributes: { 'http.request.method': 'POST' } }, async (span) => {
        const traceparent = activeTraceparent();
        const headers = { ...request.headers, ...(traceparent !== undefined && { traceparent }) };
        assertHeaders(headers);
        const begun = performance.now();
        const { at, ...outcome } = await within(request.timeoutMs, request.signal, (signal) =>
          call({ ...request, headers }, signal),
        );
        span?.setAttribute('carnet.outcome', outcome.outcome);
        if (outcome.outcome === 'answered') span?.setAttribute('http.response.status_code', outcome.status);
        return { ...outcome, latencyMs: Math.round(at - begun) };
      });
    },
  };
}

/** Sends the request over this connection and no other, and destroys it. From here on bytes may have left. */
async function exchange(
  url: OutboundUrl,
  socket: Socket,
  {
    request: { headers, body, maxReplyBytes, replyTextBytes },
    signal,
  }: { request: OutboundRequest; signal: AbortSignal },
): Promise<(Answered | Unknown) & { at: number }> {
  let interim = 0;
  const client = new Client(url.origin, {
    // Not immediately: its loop would not notice a connection that is there before it waits for one.
    connect: (_, done) => queueMicrotask(() => done(null, socket)),
    allowH2: false,
    useMilo: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Its timeouts begin again with each byte that comes; the signal ends all.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const request = client.request({
      path: url.path,
      method: 'POST',
      // A compressed reply would have to be unpacked to be read; a receiver that packs nevertheless is not read.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      reset: true,
      onInfo: () => {
        interim += 1;
        if (interim > MAX_INTERIM) socket.destroy();
      },
    });
    // Its own signal ends nothing before the request has begun.
    const answer = await orAborted(request, signal);
    const at = performance.now();
    const reply = await readReply(answer, { maxBytes: maxReplyBytes, textBytes: replyTextBytes, signal });
    return { outcome: 'answered', status: answer.statusCode, ...reply, at };
  } catch {
    const cause = signal.aborted ? endingOf(signal) : 'broken';
    return { outcome: 'unknown', cause, sentence: UNKNOWN_SENTENCES[cause], at: performance.now() };
  } finally {
    socket.destroy();
    void client.destroy();
  }
}

/** @throws TypeError */
function assertHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`The header ${name} is set by the client itself.`);
  }
}
