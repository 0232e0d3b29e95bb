import { join } from 'node:path';
import { readCredentials } from '../src/process/seed.ts';
import { verifyEvidence } from './demo/evidence.ts';
import { openMarket } from './demo/market.ts';
import { showPassports } from './demo/passports.ts';
import { subscribe } from './demo/subscription.ts';
import { show, stop, printStep, createDemoClient } from './demo/client.ts';
import { fillWallet, readStatement, refundTopUps } from './demo/wallet.ts';
import { invokeAndComplete } from './demo/work.ts';

/** Runs the demo against the running service and prints each step in a line or two: `npm run demo`. */

const dataDir = process.env.DATA_DIR ?? '.carnet';
const credentials = await readCredentials(dataDir);
const credential = (
  name: 'base_url' | 'api_key' | 'consumer_api_key' | 'admin_api_key' | 'agent_id' | 'service_connection_id',
): string =>
  credentials[name] ??
  stop(
    `There is no ${join(dataDir, 'credentials.json')}: start the service first with "npm start", or name its DATA_DIR.`,
  );

const client = createDemoClient(credential('base_url'));
const publisher = credential('api_key');
const market = await openMarket(client, {
  publisher,
  consumer: credential('consumer_api_key'),
  admin: credential('admin_api_key'),
});
const { newcomerKey } = market;

await fillWallet(client, newcomerKey);
const invocationId = await invokeAndComplete(client, market, publisher);
await readStatement(client, { key: newcomerKey, publisherKey: publisher });
await refundTopUps(client, newcomerKey);
await subscribe(client, newcomerKey);

printStep('Each invocation has a Temporal workflow, which shows what it waits for.');
show(
  credentials.temporal_ui_url
    ? `${credentials.temporal_ui_url}/namespaces/${credentials.temporal_namespace}/workflows/invocation%3A${invocationId}`
    : `workflow id invocation:${invocationId} in namespace ${credentials.temporal_namespace} at ${credentials.temporal_address}`,
);

await showPassports(client, publisher, {
  agentId: credential('agent_id'),
  connectionId: credential('service_connection_id'),
});

await verifyEvidence(client, publisher, { invocationId, dataDir });
