import { isPerson, type Caller, type OperatorCaller } from '../../commands/caller.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Credential } from './credential.ts';

interface Rule {
  /** Which operator credentials are let in: of every role, of owners and administrators, or of the platform alone. */
  roles: 'any' | 'admin' | 'platform';
  /** How an agent key is refused; null: it is let in. */
  agents: 'ADMIN_REQUIRED' | 'AGENT_CREDENTIAL_FORBIDDEN' | 'OPERATOR_SCOPE_REQUIRED' | null;
  /** A person in a dashboard session alone: no key or token may. */
  person: boolean;
  /** Whether the key of a partner is let in, to what was made under its grant. */
  partners: boolean;
  /** Which passports as bearers are let in: none, those that may invoke for their agent, or any. */
  passports: 'none' | 'invoking' | 'any';
  /** Whether the key of a blocked agent is let in where something changes: to what only takes access away. */
  blocked: boolean;
}

/** A caller that a row leaves out is not let in. */
const none = {
  agents: 'AGENT_CREDENTIAL_FORBIDDEN',
  person: false,
  partners: false,
  passports: 'none',
  blocked: false,
} as const;

/**
 * Who may call a route; every route names its audience, none is open by default. `public` looks at no credential. Of the others each is one
 * row: admission and the OpenAPI document read it here.
 */
export const audiences = {
  anyone: { ...none, roles: 'any', agents: null },
  operator: { ...none, roles: 'any' },
  'operator-scope': { ...none, roles: 'any', agents: 'OPERATOR_SCOPE_REQUIRED' },
  admin: { ...none, roles: 'admin' },
  person: { ...none, roles: 'admin', person: true },
  platform: { ...none, roles: 'platform', agents: 'ADMIN_REQUIRED' },
  'anyone-or-passport': {
    ...none,
    roles: 'any',
    agents: null,
    passports: 'invoking',
  },
  'operator-or-partner': {
    ...none,
    roles: 'any',
    partners: true,
  },
  'admin-or-partner': { ...none, roles: 'admin', partners: true },
  'anyone-or-partner': {
    ...none,
    roles: 'any',
    agents: null,
    partners: true,
  },
  'any-credential': {
    ...none,
    roles: 'any',
    agents: null,
    partners: true,
    passports: 'any',
    blocked: true,
  },
} as const satisfies Record<string, Rule>;

export type Audience = 'public' | keyof typeof audiences;

const ruleOf = (audience: keyof typeof audiences): Rule => audiences[audience];

/** The refusals that a route of this audience may give because of its caller alone; those of `admit` and of authentication. */
export function refusalsOfAudience(audience: Audience, method: string): ErrorCode[] {
  if (audience === 'public') return [];
  const { roles, agents, person, partners, passports, blocked } = ruleOf(audience);
  const codes: ErrorCode[] = ['UNAUTHENTICATED', 'OPERATOR_SUSPENDED'];
  if (passports !== 'any') codes.push('AGENT_CREDENTIAL_FORBIDDEN');
  if (!partners) codes.push('PARTNER_SCOPE');
  if (method !== 'get') codes.push('ORIGIN_FORBIDDEN');
  if (agents !== null) codes.push(agents);
  else if (method !== 'get' && !blocked) codes.push('AGENT_BLOCKED');
  if (roles !== 'any') codes.push('ADMIN_REQUIRED');
  if (person) codes.push('DASHBOARD_SESSION_REQUIRED');
  return codes;
}

/**
 * The caller, where the audience of the route takes this credential.
 * @param method of the route: a blocked agent may still read
 * @throws CarnetError OPERATOR_SUSPENDED, ADMIN_REQUIRED, AGENT_CREDENTIAL_FORBIDDEN, OPERATOR_SCOPE_REQUIRED, PARTNER_SCOPE,
 *   DASHBOARD_SESSION_REQUIRED, AGENT_BLOCKED
 */
export function admit(
  { caller, suspended, blocked }: Credential,
  audience: keyof typeof audiences,
  method: string,
): Caller {
  const rule = ruleOf(audience);
  if (suspended)
    throw new CarnetError('OPERATOR_SUSPENDED', 'This operator is suspended; ask the platform to activate it again.');
  if (caller.kind === 'passport') {
    if (rule.passports === 'any') return caller;
    if (rule.passports === 'none')
      throw new CarnetError('AGENT_CREDENTIAL_FORBIDDEN', 'A passport may not do this; use a key of the operator.');
    if (caller.mayNotInvoke === null) return caller;
    throw new CarnetError('AGENT_CREDENTIAL_FORBIDDEN', `This passport may not invoke. ${caller.mayNotInvoke}`);
  }
  if (caller.kind === 'partner') {
    if (rule.partners) return caller;
    throw new CarnetError(
      'PARTNER_SCOPE',
      'The key of a partner may register and read agents, and make, read and revoke inbound endpoints; for anything else use a key of the operator.',
    );
  }
  if (caller.kind === 'operator') {
    assertRole(caller, rule);
    return caller;
  }
  if (rule.agents === 'ADMIN_REQUIRED') throw platformAlone();
  if (rule.agents !== null)
    throw new CarnetError(rule.agents, 'An agent key may not do this; use a key of the operator.');
  if (blocked && method !== 'get' && !rule.blocked) {
    throw new CarnetError(
      'AGENT_BLOCKED',
      'This agent is blocked: it may read, but change nothing until its operator unblocks it.',
    );
  }
  return caller;
}

function assertRole(caller: OperatorCaller, { roles, person }: Rule): void {
  if (roles === 'platform' && !caller.platform) throw platformAlone();
  if (roles === 'admin' && caller.role === 'member')
    throw new CarnetError('ADMIN_REQUIRED', 'This needs a credential of role admin; this one is of role member.');
  if (person && !isPerson(caller)) {
    throw new CarnetError(
      'DASHBOARD_SESSION_REQUIRED',
      'A person decides this: sign in at /dashboard as owner or administrator and use that session; no key or token may.',
    );
  }
}

const platformAlone = (): CarnetError =>
  new CarnetError(
    'ADMIN_REQUIRED',
    'Only the platform may do this: its key, or an owner or administrator of op_platform who is signed in.',
  );
