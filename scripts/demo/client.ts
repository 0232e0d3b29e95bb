import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';

export type Body = Record<string, unknown>;

export interface Reply {
  status: number;
  body: Body;
}

/** Nobody wants to wait longer for a step of a demo than this, but a person who pays may need it. */
const PATIENCE_MS = 600_000;
const PAUSE_MS = 500;
/** What the service asks for where a machine is too busy to answer in time (Retry-After). */
const BUSY_PAUSE_MS = 5_000;

let stepNumber = 0;
export const tell = (sentence: string): void => console.log(`\n${styleText('bold', `${++stepNumber}. ${sentence}`)}`);
export const show = (text: string): void => console.log(`   ${text}`);
const showCall = (text: string): void => console.log(styleText('dim', `   ${text}`));
/** @param cents of a reply, negative for debits @returns e.g. `-$2.50` */
export const money = (cents: unknown): string =>
  `${Number(cents) < 0 ? '-' : ''}$${(Math.abs(Number(cents)) / 100).toFixed(2)}`;

export function stop(sentence: string): never {
  console.error(`\n${sentence}`);
  process.exit(1);
}

export type Teller = ReturnType<typeof tellerOf>;

/** Whoever speaks to the service and tells what it answered. */
export function tellerOf(baseUrl: string) {
  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${baseUrl}${path}`, init);
    } catch {
      return stop(`Nothing answers at ${baseUrl}: start the service with "npm start" and run the demo beside it.`);
    }
  }

  async function ask(method: 'GET' | 'POST', path: string, key: string | undefined, body?: unknown): Promise<Reply> {
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(method === 'POST' && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    };
    for (const deadline = Date.now() + PATIENCE_MS; ; await pause(BUSY_PAUSE_MS)) {
      const response = await send(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
      const reply = { status: response.status, body: (await response.json()) as Body };
      if (reply.status !== 503 || Date.now() > deadline) return reply;
      showCall(`${method} ${path} → 503, again with the same Idempotency-Key`);
    }
  }

  async function call(method: 'GET' | 'POST', path: string, key: string | undefined, body?: unknown): Promise<Reply> {
    const reply = await ask(method, path, key, body);
    showCall(`${method} ${path} → ${reply.status}`);
    return reply;
  }

  return {
    baseUrl,
    call,

    /** Presses the button of a local payment page, or asks a person to pay at a page that is somebody else's. */
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

    /** Reads `path` until it says what is waited for, and shows that it was read. */
    async until(path: string, key: string, holds: (body: Body) => boolean): Promise<Body> {
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(PAUSE_MS)) {
        const reply = await ask('GET', path, key);
        if (reply.status !== 200 || !holds(reply.body)) continue;
        showCall(`GET ${path} → ${reply.status}`);
        return reply.body;
      }
      return stop(`${path} did not become in ten minutes what the story waits for.`);
    },
  };
}

export function expect(reply: Reply, ...statuses: number[]): Body {
  if (statuses.includes(reply.status)) return reply.body;
  return stop(
    `The service answered ${reply.status} where the story has ${statuses.join(' or ')}:\n${JSON.stringify(reply.body, null, 2)}`,
  );
}
