import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createPayments } from '../../../../activities/payments/index.ts';
import type { PaymentProvider } from '../../../../src/billing/payments/provider.ts';
import { sql } from '../../../../src/database/pool.ts';
import type { OperatorId } from '../../../../src/ids/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import { database } from '../../../support/service.ts';
import { insertOperator, openShell, type Shell } from '../../../http/support/shell.ts';

export interface Heard {
  body: Buffer;
  signature: string | undefined;
}

/** Where the payment webhook is, without a service behind it: takes what comes, and answers as it is told. */
export interface Receiver {
  port: number;
  heard: Heard[];
  /** Statuses of the next answers, in order; 200 after them. */
  answers: number[];
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const heard: Heard[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = request.headers['stripe-signature'] as string | undefined;
      heard.push({ body: Buffer.concat(chunks), signature });
      response.writeHead(answers.shift() ?? 200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard,
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
  /** The address of a page at the shell, which is not where PUBLIC_BASE_URL says. */
  at(url: string): string;
  newCustomer(): Promise<{ operatorId: OperatorId; customerId: string }>;
  close(): Promise<void>;
}

/** The pages of the local provider, its books in the suite's database, and a receiver in place of the payment webhook. */
export async function openLocalWorld(): Promise<LocalWorld> {
  const receiver = await startReceiver();
  const shell = await openShell({ routes: [], settings: { PORT: String(receiver.port) } });
  const payments = createPayments(shell.context);
  return {
    shell,
    receiver,
    payments,
    at: (url) => shell.baseUrl + new URL(url).pathname,
    async newCustomer() {
      const operatorId = await insertOperator(shell.context);
      return {
        operatorId,
        ...(await payments.ensureCustomer({ operatorId, name: 'Ada & Söhne <AG>', email: 'ada@example.test' })),
      };
    },
    async close() {
      await shell.close();
      await receiver.stop();
    },
  };
}

/** Lets many calls meet at one row of the books: it is held until several of them wait for it. @returns what they gave */
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
