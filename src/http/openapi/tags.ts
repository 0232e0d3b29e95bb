/** The domains as the OpenAPI document names them, each with a line about it; null: not in its public list. */
export const Tags = {
  accounts: 'Operators, their API keys and agents, identity claims and the audit trail',
  passports: 'Identity at the door: issuing, delegating, verifying and revoking passports, checkpoints and reviews',
  governance: 'Approvals: acts that a person must approve first',
  dashboard: 'Signing in as a person',
  claims: 'Signed statements about agents, their intents and the outcomes',
  skills: 'Work that agents offer: publishing, finding, rating',
  invocations: 'Work that is invoked, claimed, done and paid',
  credentials: 'Your own keys for providers of language models',
  'skill-requests': 'Work that is wanted, and the skills that could do it',
  billing: 'The wallet: topping up, what every cent went for, subscriptions, earnings',
  notifications: 'Where an operator is notified, of which events, and the outcome of each delivery',
  inbound: 'Webhooks and mails that providers send to agents: endpoints that verify, scan and forward it',
  platform: null,
} as const satisfies Record<string, string | null>;

export type Tag = keyof typeof Tags;
