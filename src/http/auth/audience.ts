import { isPerson, type AgentKeyCaller, type Caller, type OperatorCaller } from '../../commands/caller.ts';
import type { Credential } from './credential.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { Audience, Method } from '../route.ts';

/**
 * Who calls, where the audience of the route takes this credential (decisions §3.8 "Credentials").
 * @throws CarnetError OPERATOR_SUSPENDED, ADMIN_REQUIRED, AGENT_CREDENTIAL_FORBIDDEN, OPERATOR_SCOPE_REQUIRED,
 *   DASHBOARD_SESSION_REQUIRED, AGENT_BLOCKED
 */
export function admitted({ caller, suspended, blocked }: Credential, audience: Audience, method: Method): Caller {
  if (suspended)
    throw new CarnetError('OPERATOR_SUSPENDED', 'This operator is suspended; ask the platform to activate it again.');
  if (caller.kind === 'passport')
    throw new CarnetError('AGENT_CREDENTIAL_FORBIDDEN', 'A passport may not do this; use a key of the operator.');
  if (audience === 'platform') {
    if (caller.kind === 'operator' && caller.platform) return caller;
    throw new CarnetError('ADMIN_REQUIRED', 'Only the platform key may do this.');
  }
  if (caller.kind === 'operator') {
    assertRole(caller, audience);
    return caller;
  }
  return admittedAgent(caller, audience, blocked && method !== 'get');
}

function admittedAgent(caller: AgentKeyCaller, audience: Audience, held: boolean): AgentKeyCaller {
  if (audience === 'operator-scope') {
    throw new CarnetError('OPERATOR_SCOPE_REQUIRED', 'An agent key may not do this; use a key of the operator.');
  }
  if (audience !== 'anyone') {
    throw new CarnetError('AGENT_CREDENTIAL_FORBIDDEN', 'An agent key may not do this; use a key of the operator.');
  }
  if (held) {
    throw new CarnetError(
      'AGENT_BLOCKED',
      'This agent is blocked: it may read, but change nothing until its operator unblocks it.',
    );
  }
  return caller;
}

function assertRole(caller: OperatorCaller, audience: Audience): void {
  if ((audience === 'admin' || audience === 'person') && caller.role === 'member') {
    throw new CarnetError('ADMIN_REQUIRED', 'This needs a credential of role admin; this one is of role member.');
  }
  if (audience === 'person' && !isPerson(caller)) {
    throw new CarnetError(
      'DASHBOARD_SESSION_REQUIRED',
      'A person decides this: sign in at /dashboard as owner or administrator and use that session; no key or token may.',
    );
  }
}
