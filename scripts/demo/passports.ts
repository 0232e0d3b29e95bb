import { expect, show, printStep, type DemoClient } from './client.ts';

/** A passport is issued, verified, delegated and revoked, together with the passports that came of it. */
export async function showPassports(
  { call }: DemoClient,
  key: string,
  { agentId, connectionId }: { agentId: string; connectionId: string },
): Promise<void> {
  printStep("The publisher's agent gets a passport: signed, for 15 minutes, with the scopes it is granted now.");
  const intent = { summary: 'triage the new issues', services: ['github'], will_delegate: true };
  const issued = expect(await call('POST', '/v1/passports/issue', { key, body: { agent_id: agentId, intent } }), 201);
  show(`${issued.jti} until ${issued.expires_at}.`);

  printStep('Anybody may verify it; no credential is needed.');
  const verified = expect(
    await call('POST', '/v1/passports/verify', { body: { token: issued.token, service_id: 'github' } }),
    200,
  );
  const [service] = (verified.claims as { services: { service_name: string; scopes: string[] }[] }).services;
  show(`valid: ${verified.valid}, ${service?.service_name}: ${service?.scopes.join(', ')}.`);

  printStep('It is delegated with fewer scopes.');
  const scopes = [{ service_connection_id: connectionId, scopes: [service?.scopes[0]] }];
  const child = expect(
    await call('POST', '/v1/passports/delegate', {
      key,
      body: {
        parent_passport_token: issued.token,
        child_agent_id: agentId,
        scopes,
      },
    }),
    201,
  );
  show(`${child.jti} may only ${service?.scopes[0]}.`);

  printStep('Revoking the first revokes every passport that came of it.');
  const revoked = expect(
    await call('POST', '/v1/passports/revoke', { key, body: { jti: issued.jti, reason: 'the demo is over' } }),
    200,
  );
  const refusedChild = expect(await call('POST', '/v1/passports/verify', { body: { token: child.token } }), 200);
  show(
    `${revoked.cascaded_count} more revoked with it; the child: valid: ${refusedChild.valid}, ${refusedChild.reason}.`,
  );
}
