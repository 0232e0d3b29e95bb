import { join } from 'node:path';
import { readCredentials } from '../src/process/seed.ts';
import { openMarket } from './demo/market.ts';
import { travel } from './demo/passports.ts';
import { subscribe } from './demo/subscription.ts';
import { show, stop, tell, tellerOf } from './demo/teller.ts';
import { fillWallet, readStatement, refundTopUps } from './demo/wallet.ts';
import { workForMoney } from './demo/work.ts';

/** Plays the whole story against the running service and tells each step in a line or two: `npm run demo`. */

const dataDir = process.env.DATA_DIR ?? '.carnet';
const credentials = await readCredentials(dataDir);
const need = (
  name: 'base_url' | 'api_key' | 'consumer_api_key' | 'admin_api_key' | 'agent_id' | 'service_connection_id',
): string =>
  credentials[name] ??
  stop(
    `There is no ${join(dataDir, 'credentials.json')}: start the service first with "npm start", or name its DATA_DIR.`,
  );

const teller = tellerOf(need('base_url'));
const publisher = need('api_key');
const market = await openMarket(teller, {
  publisher,
  consumer: need('consumer_api_key'),
  admin: need('admin_api_key'),
});
const { newcomerKey } = market;

await fillWallet(teller, newcomerKey);
const invocationId = await workForMoney(teller, market, publisher);
await readStatement(teller, newcomerKey, publisher);
await refundTopUps(teller, newcomerKey);
await subscribe(teller, newcomerKey);

tell('What took time is a Temporal workflow, with what it waits for beside it.');
show(
  credentials.temporal_ui_url
    ? `${credentials.temporal_ui_url}/namespaces/${credentials.temporal_namespace}/workflows/invocation%3A${invocationId}`
    : `workflow id invocation:${invocationId} in namespace ${credentials.temporal_namespace} at ${credentials.temporal_address}`,
);

await travel(teller, publisher, { agentId: need('agent_id'), connectionId: need('service_connection_id') });
