export { findAgent, type AgentOfOperator } from './agent-queries.ts';
export type { Agent } from './agent-schema.ts';
export { assuranceRank } from './assurance.ts';
export { ensureAgent, ensureApiKey, ensureOperator } from './demo.ts';
export { findOperator } from './operator-queries.ts';
export type { Operator } from './operator-schema.ts';
export { hashSecret } from './secret.ts';
