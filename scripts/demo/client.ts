import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';

export type Body = Record<string, unknown>;

interface Reply {
  status: number;
  body: Body;
}

interface Sent {
  /** Undefined: without a credential. */
  key?: string | undefined;
  body?: unknown;
}

/** Long enough for a person who pays in a browser. */
const MAX_WAIT_MS = 600_000;
const PAUSE_MS = 500;
/** As the service's Retry-After has it where a machine is too busy to answer in time. */
const BUSY_PAUSE_MS = 5_000;

let stepNumber = 0;
export const printStep = (sentence: string): void =>
  console.log(`\n${styleText('bold', `${++stepNumber}. ${sentence}`)}`);
export const show = (text: string): void => console.log(`   ${text}`);
const showCall = (text: string): void => console.log(styleText('dim', `   ${text}`));
/** @param cents of a reply, negative for debits @returns e.g. `-$2.50` */
export const money = (cents: unknown): string =>
  `${Number(cents) < 0 ? '-' : ''}$${(Math.abs(Number(cents)) / 100).toFixed(2)}`;

export function stop(sentence: string): never {
  console.error(`\n${sentence}`);
  process.exit(1);
}

export type DemoClient = ReturnType<typeof createDemoClient>;

/** Calls the service and prints its answers. */
export function createDemoClient(baseUrl: string) {
  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${baseUrl}${path}`, init);
    } catch {
      return stop(`Nothing answers at ${baseUrl}: start the service with "npm start" and run the demo beside it.`);
    }
  }

  async function request(method: 'GET' | 'POST', path: string, { key, body }: Sent = {}): Promise<Reply> {
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(method === 'POST' && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    };
    for (const deadline = Date.now() + MAX_WAIT_MS; ; await pause(BUSY_PAUSE_MS)) {
      const response = await send(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
      const reply = { status: response.status, body: (await response.json()) as Body };
      if (reply.status !== 503 || Date.now() > deadline) return reply;
      showCall(`${method} ${path} → 503, again with the same Idempotency-Key`);
    }
  }

  async function call(method: 'GET' | 'POST', path: string, sent?: Sent): Promise<Reply> {
    const reply = await request(method, path, sent);
    showCall(`${method} ${path} → ${reply.status}`);
    return reply;
  }

  return {
    baseUrl,
    call,

    /** Pays on a local payment page by itself; for any other page it prints the address for a person. */
    async pay(checkoutUrl: string): Promise<void> {
      if (!checkoutUrl.startsWith(`${baseUrl}/`)) return show(`Open this in a browser and pay: ${checkoutUrl}`);
      const path = checkoutUrl.slice(baseUrl.length);
      const { status } = await send(path, {
        method: 'POST',
        body: new URLSearchParams({ outcome: 'paid' }),
        redirect: 'manual',
      });
      showCall(`POST ${path.slice(0, 24)}… outcome=paid → ${status}`);
    },

    /** Reads `path` until its body satisfies `holds`, and prints the call. */
    async until(path: string, key: string, holds: (body: Body) => boolean): Promise<Body> {
      for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await pause(PAUSE_MS)) {
        const reply = await request('GET', path, { key });
        if (reply.status !== 200 || !holds(reply.body)) continue;
        showCall(`GET ${path} → ${reply.status}`);
        return reply.body;
      }
      return stop(`${path} did not change as expected within ten minutes.`);
    },
  };
}

export function expect(reply: Reply, ...statuses: number[]): Body {
  if (statuses.includes(reply.status)) return reply.body;
  return stop(
    `The service answered ${reply.status} instead of ${statuses.join(' or ')}:\n${JSON.stringify(reply.body, null, 2)}`,
  );
}
