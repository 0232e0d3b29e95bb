import type { ErrorCode } from '../../../../src/errors/codes.ts';
import type { Who } from './callers.ts';

/** Let in, no matter what becomes of the request then; or refused with this code. */
export type Outcome = 'admitted' | ErrorCode;

type Rule = Partial<Record<Who, Outcome>>;

const agents = ['an agent key', "a blocked agent's key"] as const;
const members = ['a member key', 'a member token', "a member's session", "a platform member's session"] as const;
const operatorBearers = ['an admin key', 'an admin token', 'the platform key', "a foreign operator's key"] as const;
const sessions = ["an owner's session", "an administrator's session"] as const;

const all = (who: readonly Who[], outcome: Outcome): Rule => Object.fromEntries(who.map((one) => [one, outcome]));

/** Credentials that no route lets in that looks at credentials at all. */
const never: Rule = {
  nobody: 'UNAUTHENTICATED',
  'a made-up key': 'UNAUTHENTICATED',
  "a suspended operator's key": 'OPERATOR_SUSPENDED',
  'a passport': 'AGENT_CREDENTIAL_FORBIDDEN',
  'a partner key': 'PARTNER_SCOPE',
};

/** Needs no credential, and looks at none. */
const open: Rule = {};
/** Skills, requests, invocations, claims, reading billing: every key. */
const work: Rule = never;
/** The passports' endpoints: operator-scoped credentials. */
const passports: Rule = { ...never, ...all(agents, 'OPERATOR_SCOPE_REQUIRED') };
/** The accounts of an operator: every role, no agent. */
const accounts: Rule = { ...never, ...all(agents, 'AGENT_CREDENTIAL_FORBIDDEN') };
/** The callers that a rule lets in besides, a partner for what was made under its grant. */
const withPartners: Rule = { 'a partner key': 'admitted' };
/** API keys, members, unblock, governance, the audit trail: administrators. */
const administration: Rule = { ...accounts, ...all(members, 'ADMIN_REQUIRED') };
/** Approvals: a person who is an administrator; no bearer at all. The role is judged first. */
const persons: Rule = { ...administration, ...all(operatorBearers, 'DASHBOARD_SESSION_REQUIRED') };
/** One's own dashboard session. */
const ownSession: Rule = {
  ...accounts,
  ...all([...operatorBearers, 'a member key', 'a member token'], 'DASHBOARD_SESSION_REQUIRED'),
};
/** Platform administration: the platform key, and people who administer the platform. */
const platform: Rule = {
  ...never,
  ...all(agents, 'ADMIN_REQUIRED'),
  ...all(members, 'ADMIN_REQUIRED'),
  ...all(sessions, 'ADMIN_REQUIRED'),
  ...all(['an admin key', 'an admin token', 'a session without Origin', "a foreign operator's key"], 'ADMIN_REQUIRED'),
};

/** Revoking an endpoint takes access away and gives none: every known caller may. */
const revoking: Rule = { ...work, ...withPartners, 'a passport': 'admitted', "a blocked agent's key": 'admitted' };

/**
 * Who may do what, by method and path; the first line that fits counts. Written from the decisions on credentials, not
 * from the routes, so that the two can disagree.
 */
const table: [line: string, rule: Rule][] = [
  ['POST /v1/operators', platform],
  ['* /v1/admin/*', platform],
  ['POST /v1/identity-claims', platform],
  ['DELETE /v1/identity-claims/:id', platform],
  ['GET /v1/skills/pending-reviews', platform],
  ['POST /v1/skills/:id/approve', platform],
  ['POST /v1/skills/:id/reject', platform],

  ['* /v1/api-keys*', administration],
  ['* /v1/partner-grants*', administration],
  ['* /v1/members*', administration],
  ['* /v1/credentials*', administration],
  ['* /v1/notifications/*', administration],
  ['* /v1/audit-events', administration],
  ['POST /v1/agents/:id/unblock', administration],
  ['GET /v1/agents/:id/conduct', administration],
  ['GET /v1/governance/approvals/:id', work], // the bearer that requested it may read its state
  ['* /v1/governance/approvals*', persons],

  ['POST /v1/dashboard/sessions', open],
  ['POST /v1/dashboard/sessions/verify', open],
  ['* /v1/dashboard/sessions*', ownSession],

  ['* /v1/notifications/*', administration],

  ['GET /v1/operators/me', accounts],
  ['PATCH /v1/operators/me', administration],
  ['* /v1/operators/me/erasure', administration],
  ['GET /v1/events*', accounts],
  ['POST /v1/agents', { ...accounts, ...withPartners }],
  ['GET /v1/agents', { ...accounts, ...withPartners }],
  ['GET /v1/agents/:id', { ...accounts, ...withPartners }],
  ['* /v1/agents*', accounts],
  ['* /v1/service-connections*', accounts],
  ['* /v1/missions*', accounts],
  ['* /v1/authority-bindings*', accounts],
  ['GET /v1/identity-claims*', accounts],

  ['GET /v1/registry/servers', open],
  ['GET /v0.1/servers', open],
  ['GET /v1/registry/servers/:name/versions', open],
  ['GET /v0.1/servers/:name/versions', open],
  ['GET /v1/registry/servers/:name/versions/:version', open],
  ['GET /v0.1/servers/:name/versions/:version', open],
  ['GET /v1/.well-known/jwks.json', open],
  ['GET /.well-known/jwks.json', open],
  ['POST /v1/passports/verify', open],
  ['GET /v1/passports/status-list*', open],
  ['* /v1/passports*', passports],

  ['GET /v1/.well-known/scitt-keys*', open],
  ['GET /.well-known/scitt-keys*', open],
  ['GET /v1/log/proofs/inclusion', work],
  ['GET /v1/log/tile/entries/*', platform],
  ['GET /log/tile/entries/*', platform],
  ['GET /v1/log/*', open],
  ['POST /v1/log/witness-signatures', open],
  ['GET /log/*', open],
  ['GET /v1/claims/schemas*', open],
  ['POST /v1/claims/:id/revoke', accounts],
  ['POST /v1/claims/:id/erase', administration],
  ['* /v1/claims*', work],
  ['* /v1/skills*', work],
  ['* /v1/skill-requests*', work],
  ['GET /v1/billing/balance', work],
  ['GET /v1/billing/transactions', work],
  ['GET /v1/billing/transactions/:id', work],
  ['GET /v1/billing/transactions/:id/sources', work],
  ['GET /v1/billing/days', work],
  ['POST /v1/billing/topup', administration],
  ['GET /v1/billing/topups', administration],
  ['DELETE /v1/billing/topups/:id', administration],
  ['GET /v1/billing/refunds', work],
  ['GET /v1/billing/holds', work],
  ['GET /v1/billing/receivables', work],
  ['GET /v1/billing/disputes', work],
  ['GET /v1/billing/differing-payments', work],
  ['POST /v1/billing/subscribe', administration],
  ['POST /v1/billing/cancel-subscription', administration],
  ['GET /v1/billing/subscription', work],
  ['DELETE /v1/billing/subscription/change', administration],
  ['POST /v1/billing/subscription/change/checkout', administration],
  ['POST /v1/billing/seats', administration],
  ['POST /v1/billing/portal', administration],
  ['POST /v1/billing/refund/:transactionId', administration],
  ['GET /v1/billing/refunds/:id', work],
  ['POST /v1/billing/webhooks/stripe', open],
  ['GET /v1/earnings', work],
  ['GET /v1/payouts', work],
  ['GET /v1/billing/usage', work],

  ['POST /v1/operator/inbound-webhooks', { ...administration, ...withPartners }],
  ['GET /v1/operator/inbound-webhooks', { ...work, ...withPartners }],
  ['GET /v1/operator/inbound-webhooks/:id', { ...work, ...withPartners }],
  ['DELETE /v1/operator/inbound-webhooks/:id', revoking],
  ['GET /v1/operator/inbound-webhooks/:id/events/:eventId/content', persons],
  ['GET /v1/operator/held-inbound-events', accounts],
  ['GET /v1/operator/held-inbound-events/read', persons],
  ['GET /v1/operator/inbound-webhooks/*', accounts],
  ['* /v1/operator/inbound-webhooks/*', administration],
  ['POST /v1/inbound/:provider/:slug', open],
];

/** The line of the table that speaks of a route. @throws Error where none does */
export function lineFor(method: string, path: string): string {
  const found = table.find(([line]) => fits(line, method, path));
  if (found !== undefined) return found[0];
  throw new Error(
    `Nothing says who may call ${method} ${path}: read in the decisions on credentials who may, and add the line to ` +
      'test/http/auth/support/expectations.ts.',
  );
}

const ruleOf = (line: string): Rule | undefined => table.find(([candidate]) => candidate === line)?.[1];

export const isOpen = (line: string): boolean => ruleOf(line) === open;
export const isForPlatform = (line: string): boolean => ruleOf(line) === platform;

/** Says by the decisions what becomes of this caller there. */
export function outcomeOf(line: string, who: Who, method: string): Outcome {
  const rule = ruleOf(line) ?? {};
  if (rule === open) return 'admitted';
  if (who === 'a session without Origin' && method !== 'GET') return 'ORIGIN_FORBIDDEN';
  if (who === "a blocked agent's key" && method !== 'GET' && rule[who] === undefined) return 'AGENT_BLOCKED';
  return rule[who] ?? 'admitted';
}

export const lines = (): string[] => table.map(([line]) => line);

/** `*` stands for any method, and at the end of a path for what follows. */
function fits(line: string, method: string, path: string): boolean {
  const [methods = '', pattern = ''] = line.split(' ');
  if (methods !== '*' && methods !== method) return false;
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
