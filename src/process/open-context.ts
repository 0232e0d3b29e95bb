import type { Logger } from 'pino';
import type { Config } from '../context/config.ts';
import type { Context } from '../context/context.ts';
import type { Delivery } from '../context/ports.ts';
import { openPool, type DatabasePool } from '../database/pool.ts';
import { withCaches } from '../context/caches.ts';
import { createEncryption } from '../context/encryption.ts';
import { openRowEvents } from '../database/row-events.ts';
import { createPayments } from '../billing/index.ts';
import { recordEvent } from '../events/index.ts';
import { approvalGate } from '../governance/index.ts';
import { processorTimeOf } from '../http/rate-limit.ts';
import { createScanner } from '../inbound/index.ts';
import { createSchemaChecker } from '../json-schema/index.ts';
import { createOutbound } from '../outbound/index.ts';
import { agentConduct, passportRevocation } from '../passports/index.ts';
import { Quota } from '../turns/quota.ts';

/** Connections of the API and of the worker, each (rule 13). */
const POOL_SIZE = 8;

export interface OpenContext extends Context {
  close(): Promise<void>;
}

/** The composition root. */
export async function openContext(config: Config, log: Logger, delivery: Delivery): Promise<OpenContext> {
  const rowEvents = await openRowEvents(config.databaseUrl, log); // first: it installs what every other connection calls
  const onMessages = (): void => delivery.messagesCommitted();
  const pool = await openPool(config.databaseUrl, { size: POOL_SIZE, applicationName: 'carnet-api', onMessages });
  const processorTime = new Quota(processorTimeOf(config));
  const schemas = createSchemaChecker(processorTime);
  const contentReader = createScanner();
  const encryption = createEncryption(config.encryptionKeys);
  if (config.outboundAllowLoopback) {
    log.warn(
      'OUTBOUND_ALLOW_LOOPBACK is true: everybody who may name a receiver reaches all that listens on this machine. Unset it outside of trials.',
    );
  }
  return withCaches({
    config,
    log,
    pool,
    encryption,
    rowEvents,
    schemas,
    processorTime,
    outbound: createOutbound({ allowLoopback: config.outboundAllowLoopback, publicBaseUrl: config.publicBaseUrl }),
    delivery,
    recordEvent,
    requireApproval: approvalGate({ config, encryption, recordEvent }),
    passportRevocation,
    agentConduct,
    contentReader,
    payments: await createPayments({ config, log, pool, encryption }),
    async close() {
      await schemas.close();
      await contentReader.close();
      await rowEvents.close();
      await pool.end();
    },
  });
}

/** The same context over a pool of its own, for the worker beside an API in one process. */
export async function openWorkerPool({ config, delivery }: Context): Promise<DatabasePool> {
  const onMessages = (): void => delivery.messagesCommitted();
  return openPool(config.databaseUrl, { size: POOL_SIZE, applicationName: 'carnet-worker', onMessages });
}
