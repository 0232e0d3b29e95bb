import { randomBytes } from 'node:crypto';
import pino from 'pino';
import type { CommandCall } from '../../src/commands/command.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import type { ApiKeyId, OperatorId } from '../../src/ids/ids.ts';
import { openContext, type OpenContext } from '../../src/process/open-context.ts';
import { ownDatabase } from '../billing/wallet/own-database.ts';
import { service } from '../support/service.ts';
import { ampleLimits } from '../support/ample-limits.ts';

export interface OwnContext {
  context: OpenContext;
  /** How often a commit left messages for lives. */
  deliveries(): number;
  close(): Promise<void>;
}

/** A context on a database of its own, where no worker runs: what happens to a row is what the test does. */
export async function ownContext(): Promise<OwnContext> {
  const database = await ownDatabase();
  let deliveries = 0;
  const config = completeConfig(readSettings({ ...ampleLimits, LOG_HEAD_DIR: service().dataDir }), {
    databaseUrl: database.url,
    temporalAddress: '127.0.0.1:1',
    platformAdminKey: randomBytes(24).toString('hex'),
    encryptionKeys: [randomBytes(32)],
    localProviders: true,
  });
  const context = await openContext(config, pino({ level: 'silent' }), {
    messagesCommitted: () => void (deliveries += 1),
    begin: async () => {},
  });
  return {
    context,
    deliveries: () => deliveries,
    async close() {
      await context.close();
      await database.drop();
    },
  };
}

/** A call of an operator's admin key, as the guard makes it. */
export const callOf = (operatorId: string, operation: string): CommandCall => ({
  caller: {
    kind: 'operator',
    operatorId: operatorId as OperatorId,
    role: 'admin',
    platform: false,
    by: { kind: 'key', keyId: 'key_test' as ApiKeyId },
  },
  operation,
  idempotency: null,
  requestId: 'req_test',
  request: null,
});
