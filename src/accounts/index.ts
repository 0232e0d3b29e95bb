export { findAgent } from './agent-queries.ts';
export { assuranceRank } from './assurance.ts';
export { ensureAgent, ensureApiKey, ensureOperator } from './demo.ts';
export { newSecret } from './secret.ts';
