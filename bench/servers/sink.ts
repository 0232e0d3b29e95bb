import { createServer } from 'node:http';
import { answering, serve } from './child.ts';

/** A receiver of webhooks: notes when each came, and answers 204; below /slow/ only after five seconds. */

export interface Arrival {
  path: string;
  /** The id of the event, as the head of the request names it. */
  event: string;
  /** Milliseconds since 1970: when the event was committed, as its body says, and when the whole request was here. */
  committed: number;
  arrived: number;
}

const SLOW_MS = 5_000;
let arrivals: Arrival[] = [];

const server = createServer((request, response) => {
  const path = request.url ?? '';
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const arrived = Date.now();
    // A delivery names the time of its event, a forward the time at which it was received.
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as { timestamp?: string; received_at?: string };
    const committed = Date.parse(body.timestamp ?? body.received_at ?? '');
    const event = String(request.headers['x-service-event-id'] ?? request.headers['webhook-id']);
    arrivals.push({ path, event, committed, arrived });
    const answer = (): void => void response.writeHead(204).end();
    if (path.startsWith('/slow/')) setTimeout(answer, SLOW_MS);
    else answer();
  });
});

/** The requests since the last question. */
answering(async () => {
  const gathered = arrivals;
  arrivals = [];
  return { arrivals: gathered };
});
await serve(server);
