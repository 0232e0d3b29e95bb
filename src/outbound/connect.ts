import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { sameAddress } from './addresses.ts';
import { brokenByAddresses, refused, type OutboundUrl, type Policy, type Refused } from './outbound-url.ts';
import type { NotSent } from './resolve.ts';
import { endingOf, within } from './within.ts';

/** A connection over which nothing of a request was sent yet. */
interface Connected {
  outcome: 'connected';
  socket: Socket;
}

/** Milliseconds for all tries together, TLS included. */
const CONNECT_MS = 5_000;
/** The first addresses of a host with more are tried: a down balancer is survived, and no call lasts for a list. */
const MAX_TRIES = 4;

const FAILURES = {
  connect_failed: 'No connection to the host was made.',
  tls_failed:
    'No trusted TLS connection to the host was made: its certificate must be valid, for this name, and of a known authority.',
  timeout: 'No connection to the host was made in time.',
  aborted: 'The call was given up before there was a connection.',
} as const satisfies Partial<Record<NotSent['cause'], string>>;

const notSent = (cause: keyof typeof FAILURES): NotSent => ({ outcome: 'not_sent', cause, sentence: FAILURES[cause] });

interface Way {
  policy: Policy;
  /** Names the certificates that are trusted. */
  secureContext: SecureContext;
  signal: AbortSignal;
}

/**
 * Connects to one of these addresses and to nothing else: no name is looked up here. The address of the other end is checked before the
 * first byte, that of the TLS handshake included.
 */
export async function connectTo(
  url: OutboundUrl,
  addresses: readonly string[],
  { policy, secureContext, signal: parent }: Way,
): Promise<Connected | Refused | NotSent> {
  const tried = addresses.slice(0, MAX_TRIES);
  return await within(CONNECT_MS, parent, async (signal) => {
    let first: NotSent | undefined;
    for (const address of tried) {
      const outcome = await within(CONNECT_MS / tried.length, signal, (one) =>
        tryOne(url, address, { policy, secureContext, signal: one }),
      );
      if (outcome.outcome !== 'not_sent') return outcome;
      first ??= outcome;
      // A certificate belongs to the name: another address has the same.
      if (signal.aborted || outcome.cause === 'tls_failed') break;
    }
    return first ?? notSent('connect_failed');
  });
}

async function tryOne(
  url: OutboundUrl,
  address: string,
  { policy, secureContext, signal }: Way,
): Promise<Connected | Refused | NotSent> {
  if (signal.aborted) return notSent(endingOf(signal));
  // An address instead of a name: `net` looks nothing up, and tries no other family.
  const tcp = quiet(connectTcp({ host: address, port: url.port, autoSelectFamily: false, noDelay: true }));
  if (!(await happens(tcp, 'connect', signal))) return notSent(signal.aborted ? endingOf(signal) : 'connect_failed');
  const { remoteAddress } = tcp;
  if (remoteAddress === undefined) return notSent('connect_failed'); // gone already
  const differs = !sameAddress(remoteAddress, address) || brokenByAddresses(url, [remoteAddress], policy) !== null;
  if (differs) {
    tcp.destroy();
    return refused('address');
  }
  if (!url.tls) return { outcome: 'connected', socket: tcp };
  const tls = quiet(
    connectTls({
      socket: tcp,
      host: url.hostname, // what the certificate must name
      servername: isIP(url.hostname) === 0 ? url.hostname : '', // RFC 6066: no address
      secureContext,
      rejectUnauthorized: true, // no matter what NODE_TLS_REJECT_UNAUTHORIZED says
      ALPNProtocols: ['http/1.1'],
    }),
  );
  if (await happens(tls, 'secureConnect', signal)) return { outcome: 'connected', socket: tls };
  tcp.destroy();
  return notSent(signal.aborted ? endingOf(signal) : 'tls_failed');
}

/** A late error of a socket that nobody watches any more would end the process. */
const quiet = <Kind extends Socket>(socket: Kind): Kind => socket.on('error', () => undefined);

/** Whether the socket comes so far; it is destroyed where it does not, or not before the signal aborts. */
async function happens(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController();
  const over = AbortSignal.any([signal, stop.signal]);
  const onClose = (): void => stop.abort();
  socket.once('close', onClose); // a socket may close without an error
  try {
    await once(socket, event, { signal: over });
    return true;
  } catch {
    socket.destroy();
    return false;
  } finally {
    socket.off('close', onClose);
  }
}
