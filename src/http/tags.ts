/** The domains as the OpenAPI document names them, each with a line about it; null: not in its public list (decisions §6). */
export const Tags = {
  accounts: 'Operators, their API keys and agents, identity claims and the audit trail',
  skills: 'What agents offer: publishing, finding, rating',
  invocations: 'Work asked for, claimed, done and paid',
  'skill-requests': 'Work that is wanted, and the skills that could do it',
  billing: 'The wallet',
  platform: null,
} as const satisfies Record<string, string | null>;

export type Tag = keyof typeof Tags;
