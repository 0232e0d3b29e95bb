import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { readCredentials } from '../src/seed.ts';

/** Plays the whole story against the running service and tells each step in a line or two: `npm run demo`. */

const dataDir = process.env.DATA_DIR ?? '.carnet';
const credentials = await readCredentials(dataDir);
const { base_url: baseUrl, api_key: publisherKey, consumer_api_key: consumerKey, admin_api_key: adminKey, agent_id: agentId, service_connection_id: connectionId } = credentials;
if ([baseUrl, publisherKey, consumerKey, adminKey, agentId, connectionId].includes(undefined)) {
  console.error(`There is no ${join(dataDir, 'credentials.json')}: start the service first with "npm start", or name its DATA_DIR.`);
  process.exit(1);
}

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

let stepNumber = 0;
const tell = (sentence: string): void => console.log(`\n${styleText('bold', `${++stepNumber}. ${sentence}`)}`);
const show = (text: string): void => console.log(`   ${text}`);
const money = (cents: unknown): string => `$${(Number(cents) / 100).toFixed(2)}`;

async function call(method: 'GET' | 'POST', path: string, key: string | undefined, body?: unknown): Promise<Reply> {
  let response: Response;
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    console.error(`\nNothing answers at ${baseUrl}: start the service with "npm start" and run the demo beside it.`);
    process.exit(1);
  }
  console.log(styleText('dim', `   ${method} ${path} → ${response.status}`));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function expect(reply: Reply, status: number): Record<string, unknown> {
  if (reply.status === status) return reply.body;
  console.error(`\nThe service answered ${reply.status} where the story has ${status}:\n${JSON.stringify(reply.body, null, 2)}`);
  process.exit(1);
}

const text = { type: 'object', properties: { text: { type: 'string', maxLength: 200 } }, required: ['text'], additionalProperties: false };
const PRICE_CENTS = 250;

tell('A publisher offers a skill: a contract with schemas and a price.');
const skill = expect(
  await call('POST', '/v1/skills', publisherKey, {
    name: `shout-${randomBytes(4).toString('hex')}`,
    description: 'Turns a text into capitals, politely',
    version: '1.0.0',
    input_schema: text,
    output_schema: text,
    trust_level_required: 'L0',
    tags: ['demo', 'text'],
    price_per_invocation: PRICE_CENTS,
  }),
  201,
);
show(`${skill.name} is ${skill.status}, ${money(PRICE_CENTS)} an invocation.`);

tell('Somebody else finds it in the marketplace.');
const found = expect(await call('GET', '/v1/skills?search=capitals&tags=demo', consumerKey), 200);
show(`${(found.skills as unknown[]).length} of ${found.total} found; ours is ${(found.skills as { id: string }[]).some((row) => row.id === skill.id) ? 'among them' : 'NOT among them'}.`);

tell('An operator without money is refused, with the numbers.');
const newcomer = expect(
  await call('POST', '/v1/operators', adminKey, { name: 'Newcomer', email: `newcomer-${randomBytes(4).toString('hex')}@carnet.invalid` }),
  201,
) as { operator: { id: string }; api_key: string };
const refused = expect(await call('POST', `/v1/skills/${skill.id}/invoke`, newcomer.api_key, { input: { text: 'hello' } }), 402);
show(`${refused.code}: needs ${money(refused.required_cents)}, has ${money(refused.balance_cents)}.`);

tell('The platform credits the newcomer, who invokes: the price is held, not spent.');
expect(await call('POST', `/v1/admin/operators/${newcomer.operator.id}/adjustments`, adminKey, { amount_cents: 1_000, description: 'welcome credit' }), 201);
const invocation = expect(await call('POST', `/v1/skills/${skill.id}/invoke`, newcomer.api_key, { input: { text: 'hello, world' } }), 201);
show(`${invocation.id} is ${invocation.status} until ${invocation.expires_at}.`);
const held = expect(await call('GET', '/v1/billing/balance', newcomer.api_key), 200);
show(`available ${money(held.balance_cents)}, held ${money(held.held_cents)}.`);

tell('The provider claims it and completes it; the hold is captured and the publisher earns it.');
const claimed = expect(await call('POST', `/v1/skills/invocations/${invocation.id}/claim`, publisherKey), 200);
show(`claimed: ${claimed.status}, attempt ${claimed.attempt}.`);
const completed = expect(
  await call('POST', `/v1/skills/invocations/${invocation.id}/complete`, publisherKey, { output: { text: 'HELLO, WORLD' } }),
  200,
);
show(`completed: ${completed.status} after ${completed.duration_ms} ms.`);

tell('The consumer reads the output; the wallet says what it cost.');
const result = expect(await call('GET', `/v1/skills/invocations/${invocation.id}`, newcomer.api_key), 200);
show(`output ${JSON.stringify(result.output)}, SHA-256 ${String(result.output_hash).slice(0, 16)}…`);
const after = expect(await call('GET', '/v1/billing/balance', newcomer.api_key), 200);
show(`available ${money(after.balance_cents)}, held ${money(after.held_cents)}.`);

tell('Its life is a Temporal workflow.');
show(
  credentials.temporal_ui_url
    ? `${credentials.temporal_ui_url}/namespaces/${credentials.temporal_namespace}/workflows/invocation%3A${invocation.id}`
    : `workflow id invocation:${invocation.id} in namespace ${credentials.temporal_namespace} at ${credentials.temporal_address}`,
);

tell('The publisher\'s agent gets a passport: signed, for 15 minutes, with the scopes it is granted now.');
const intent = { summary: 'triage the new issues', services: ['github'], will_delegate: true };
const issued = expect(await call('POST', '/v1/passports/issue', publisherKey, { agent_id: agentId, intent }), 201);
show(`${issued.jti} until ${issued.expires_at}.`);

tell('Anybody may ask whether it is good; no credential is needed.');
const verified = expect(await call('POST', '/v1/passports/verify', undefined, { token: issued.token, service_id: 'github' }), 200);
const [service] = (verified.claims as { services: { service_name: string; scopes: string[] }[] }).services;
show(`valid: ${verified.valid}, ${service?.service_name}: ${service?.scopes.join(', ')}.`);

tell('It is passed on with less in it.');
const scopes = [{ service_connection_id: connectionId, scopes: [service?.scopes[0]] }];
const child = expect(
  await call('POST', '/v1/passports/delegate', publisherKey, { parent_passport_token: issued.token, child_agent_id: agentId, scopes }),
  201,
);
show(`${child.jti} may only ${service?.scopes[0]}.`);

tell('Revoking the first takes everything along that came of it.');
const revoked = expect(await call('POST', '/v1/passports/revoke', publisherKey, { jti: issued.jti, reason: 'the demo is over' }), 200);
const refusedChild = expect(await call('POST', '/v1/passports/verify', undefined, { token: child.token }), 200);
show(`${revoked.cascaded_count} more revoked with it; the child: valid: ${refusedChild.valid}, ${refusedChild.reason}.`);
