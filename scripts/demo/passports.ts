import { expect, show, tell, type Teller } from './teller.ts';

/** A passport is issued, looked at, passed on and taken back, with everything that came of it. */
export async function travel(
  { call }: Teller,
  key: string,
  { agentId, connectionId }: { agentId: string; connectionId: string },
): Promise<void> {
  tell("The publisher's agent gets a passport: signed, for 15 minutes, with the scopes it is granted now.");
  const intent = { summary: 'triage the new issues', services: ['github'], will_delegate: true };
  const issued = expect(await call('POST', '/v1/passports/issue', key, { agent_id: agentId, intent }), 201);
  show(`${issued.jti} until ${issued.expires_at}.`);

  tell('Anybody may ask whether it is good; no credential is needed.');
  const verified = expect(
    await call('POST', '/v1/passports/verify', undefined, { token: issued.token, service_id: 'github' }),
    200,
  );
  const [service] = (verified.claims as { services: { service_name: string; scopes: string[] }[] }).services;
  show(`valid: ${verified.valid}, ${service?.service_name}: ${service?.scopes.join(', ')}.`);

  tell('It is passed on with less in it.');
  const scopes = [{ service_connection_id: connectionId, scopes: [service?.scopes[0]] }];
  const child = expect(
    await call('POST', '/v1/passports/delegate', key, {
      parent_passport_token: issued.token,
      child_agent_id: agentId,
      scopes,
    }),
    201,
  );
  show(`${child.jti} may only ${service?.scopes[0]}.`);

  tell('Revoking the first takes everything along that came of it.');
  const revoked = expect(
    await call('POST', '/v1/passports/revoke', key, { jti: issued.jti, reason: 'the demo is over' }),
    200,
  );
  const refusedChild = expect(await call('POST', '/v1/passports/verify', undefined, { token: child.token }), 200);
  show(
    `${revoked.cascaded_count} more revoked with it; the child: valid: ${refusedChild.valid}, ${refusedChild.reason}.`,
  );
}
