import type { Credential } from './credential.ts';
import { CarnetError } from './errors.ts';
import type { Audience, Method } from './route.ts';

/** @throws CarnetError OPERATOR_SUSPENDED, ADMIN_REQUIRED, AGENT_CREDENTIAL_FORBIDDEN, AGENT_BLOCKED (decisions §3.8 "Credentials") */
export function assertAudience({ caller, suspended, blocked }: Credential, audience: Audience, method: Method): void {
  if (suspended)
    throw new CarnetError('OPERATOR_SUSPENDED', 'This operator is suspended; ask the platform to activate it again.');
  if (audience === 'platform') {
    if (caller.kind === 'operator' && caller.platform) return;
    throw new CarnetError('ADMIN_REQUIRED', 'Only the platform key may do this.');
  }
  if (caller.kind === 'agent') {
    if (audience !== 'anyone')
      throw new CarnetError('AGENT_CREDENTIAL_FORBIDDEN', 'An agent key may not do this; use a key of the operator.');
    if (blocked && method !== 'get') {
      throw new CarnetError(
        'AGENT_BLOCKED',
        'This agent is blocked: it may read, but change nothing until its operator unblocks it.',
      );
    }
    return;
  }
  if (audience === 'admin' && caller.role !== 'admin') {
    throw new CarnetError('ADMIN_REQUIRED', 'This needs a key of role admin; this one is of role member.');
  }
}
