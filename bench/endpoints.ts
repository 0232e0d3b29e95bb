import { createHmac } from 'node:crypto';
import pg from 'pg';
import { createEncryption } from '../src/context/encryption.ts';
import { newId, type OperatorId } from '../src/ids/ids.ts';
import { endpointSecrets } from '../src/inbound/endpoints/secrets.ts';
import { newWebhookSecret } from '../src/webhooks/secrets.ts';
import { configOf } from './config.ts';

/** Where a provider sends events: one of each operator. */
export interface Endpoint {
  id: string;
  operatorId: OperatorId;
  slug: string;
  secret: string;
}

/** Endpoints without the API, each of an agent and an operator of its own; `forwardUrl` null: events are scanned and recorded. */
export async function makeEndpoints(
  databaseUrl: string,
  { count, forwardUrl }: { count: number; forwardUrl: string | null },
): Promise<Endpoint[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const encryption = createEncryption(configOf({ databaseUrl }).encryptionKeys);
  const endpoints: Endpoint[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const [operatorId, agentId, id, secret] = [newId('op'), newId('ag'), newId('inw'), newWebhookSecret()];
    const slug = id.slice('inw_'.length).toLowerCase();
    await client.query(`insert into operators (id, name, email, tier) values ($1, 'bench', $2, 'enterprise')`, [
      operatorId,
      `${operatorId}@carnet.invalid`,
    ]);
    await client.query(`insert into agents (id, operator_id, name) values ($1, $2, 'bench')`, [agentId, operatorId]);
    await client.query(
      `insert into inbound_endpoints (id, operator_id, agent_id, provider, slug, forward_url, secret) values ($1, $2, $3, 'generic', $4, $5, $6)`,
      [id, operatorId, agentId, slug, forwardUrl, endpointSecrets.encrypt(encryption, { id, secret })],
    );
    endpoints.push({ id, operatorId, slug, secret });
  }
  await client.end();
  return endpoints;
}

/** Bytes of a body, or a few less. */
const BODY_BYTES = 10_240;
const line = (nth: number): object => ({
  line: nth,
  article: `A-${1_000 + nth}`,
  quantity: (nth % 9) + 1,
  note: 'Blue, in the large box, with the long cable; leave it at the back door if nobody is at home.',
});

/** An order of 10 KB with an id of its own, in which the scanner finds nothing. */
export function eventBody(): string {
  const event = { event_id: newId('evt'), type: 'order.placed', data: { customer: 'Ada', lines: [] as object[] } };
  const room = BODY_BYTES - JSON.stringify(event).length;
  const count = Math.floor(room / (JSON.stringify(line(99)).length + 1));
  event.data.lines = Array.from({ length: count }, (_, nth) => line(nth));
  return JSON.stringify(event);
}

/** The hex HMAC that the receiver looks for in `x-service-signature`. */
export const signatureOf = (secret: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(body).digest('hex');
