import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Customer, PaymentProvider } from '../../../../src/context/payment-provider.ts';
import { sql } from '../../../../src/database/pool.ts';
import type { OperatorId } from '../../../../src/ids/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import { database } from '../../../support/service.ts';
import { insertOperator, openShell, type Shell } from '../../../http/support/shell.ts';

interface ReceivedWebhook {
  body: Buffer;
  signature: string | undefined;
}

/**
 * A receiver at the address of the payment webhook, without a service behind it: stores what arrives, and answers what
 * a test has set.
 */
interface Receiver {
  port: number;
  received: ReceivedWebhook[];
  /** Statuses of the next answers, in order; 200 after them. */
  answers: number[];
  stop(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = request.headers['stripe-signature'] as string | undefined;
      received.push({ body: Buffer.concat(chunks), signature });
      response.writeHead(answers.shift() ?? 200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    answers,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface LocalWorld {
  shell: Shell;
  receiver: Receiver;
  payments: PaymentProvider;
  /** The address of a page on the server of this test, which is not at PUBLIC_BASE_URL. */
  at(url: string): string;
  newCustomer(name?: string): Promise<{ operatorId: OperatorId } & Customer>;
  close(): Promise<void>;
}

/**
 * The pages of the local provider, its tables in the suite's database, and a receiver in place of the payment webhook.
 */
export async function openLocalWorld(): Promise<LocalWorld> {
  const receiver = await startReceiver();
  const shell = await openShell({ routes: [], settings: { PORT: String(receiver.port) } });
  const { payments } = shell.context;
  return {
    shell,
    receiver,
    payments,
    at: (url) => shell.baseUrl + new URL(url).pathname,
    async newCustomer(name = 'Ada & Söhne <AG>') {
      const operatorId = await insertOperator(shell.context);
      const ada = { operatorId, name, email: 'ada@example.test', customerNumber: 1 };
      return { operatorId, ...(await payments.ensureCustomer(ada)) };
    },
    async close() {
      await shell.close();
      await receiver.stop();
    },
  };
}

/** Lets many calls meet at one row: it stays locked until several of them wait for it. @returns their results */
export async function meetAtRow<T>(
  table: 'local_checkouts' | 'local_subscriptions',
  id: string,
  begin: () => Promise<T>[],
): Promise<T[]> {
  const { begun } = await (
    await database()
  ).transaction(async (holder) => {
    await holder.query(sql.type(z.object({}))`select id from ${sql.identifier([table])} where id = ${id} for update`);
    const calls = begin();
    await eventually(`calls to wait for ${id}`, async () => {
      const waiting = await holder.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*) from pg_locks
        where not granted and (transactionid = pg_current_xact_id()::xid or (locktype = 'tuple' and relation = ${table}::regclass))`);
      return waiting >= 4;
    });
    return { begun: calls };
  });
  return Promise.all(begun);
}
