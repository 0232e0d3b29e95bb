import { generateKeyPairSync } from 'node:crypto';
import type { World } from './world.ts';

/**
 * One of each thing of the consumer that calls alone make: a page of ids needs one to be about.
 * @param owner the cookie of its owner, who needs nobody's approval
 * @returns addresses that no page leads the consumer to
 */
export async function makeBelongings(
  { skillId, consumer }: World,
  { origin, owner }: { origin: string; owner: string },
): Promise<string[]> {
  const byKey = { authorization: `Bearer ${consumer.key}` };
  const byOwner = { cookie: owner, origin };
  const send = (path: string, body: object, { by = byOwner, method = 'POST' }: { by?: object; method?: string } = {}) =>
    fetch(`${origin}/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...by },
      body: JSON.stringify(body),
    });
  const make = async (...call: Parameters<typeof send>): Promise<Record<string, string>> => {
    const answer = await send(...call);
    if (!answer.ok) throw new Error(`${call[0]} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const agent = await make('agents', { name: 'night-shift', public_jwk: { kty: 'OKP', crv: 'Ed25519', x } });
  const service = { service_id: 'github', service_name: 'github', scopes: ['repo:read', 'repo:write'] };
  const connection = await make('service-connections', service);
  await make(`agents/${agent['id']}/grants/${connection['id']}`, { scopes: ['repo:read'] }, { method: 'PUT' });
  const mission = await make('missions', { declared_intent: 'Sort the post.', agent_id: agent['id'] });
  await make('authority-bindings', {
    agent_id: agent['id'],
    receiver_id: 'bank.example',
    receiver_profile_version_id: 'payments-1',
    expires_at: '2099-01-01T00:00:00Z',
  });
  await make('passports/issue', { agent_id: agent['id'], mission_ids: [mission['id']] });
  await make('members', { email: 'grace@carnet.invalid', role: 'member' });
  const destination = { channel_type: 'webhook', destination: 'https://hooks.example.com/carnet' };
  await send('notifications/destinations', destination, { by: byKey }); // it waits for an approval
  await make('notifications/destinations', destination);
  await make('operator/inbound-webhooks', { provider: 'generic', agent_id: agent['id'] });
  await make('skill-requests', { description: 'Translates a contract.', tags: ['contracts'], max_price_cents: 50 });
  const { id: invocation } = await make(`skills/${skillId}/invoke`, { input: { text: 'a text' } }, { by: byKey });
  const skill = { description: 'Sums up.', version: '1.0.0', trust_level_required: 'L0', tags: ['text'] };
  const schemas = { input_schema: { type: 'object' }, output_schema: { type: 'object' } };
  await make('skills', { name: 'own-skill', price_per_invocation: 0, ...skill, ...schemas });
  const script = {
    execution_mode: 'sealed',
    execution_runtime: 'javascript',
    execution_script: 'function main() { return {}; }',
  };
  const sealed = await make('skills', { name: 'own-sealed', price_per_invocation: 0, ...skill, ...schemas, ...script });
  await make('partner-grants', { name: 'partner', providers: ['generic'] });
  const watched = await make('agents', { name: 'watched', accountability: 'enforced' });
  const { jti } = await make('passports/issue', { agent_id: watched['id'] });
  await make(`passports/${jti}/checkout`, { services_used: ['undeclared'], actions_count: 1 });
  return [
    `invocations/${invocation}`,
    `overseen/${invocation}`,
    `lives/invocation:${invocation}`,
    `try/${skillId}`,
    `skill-reviews/${sealed['id']}`,
  ].map((place) => `/dashboard/${place}`);
}
