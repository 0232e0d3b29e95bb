/**
 * The domains, from the lowest to the highest: each calls those before it, in TypeScript and in SQL. A new domain takes its place here, and
 * both laws (import-law.ts, sql-law.ts) bind it.
 */
export const DOMAINS = [
  'lives',
  'accounts',
  'governance',
  'events',
  'mail',
  'billing',
  'claims',
  'authority',
  'passports',
  'skills',
  'credentials',
  'invocations',
  'skill-requests',
  'notifications',
  'inbound',
  'retention',
  'dashboard',
] as const;
