/**
 * One queue a kind of work, so that a slow receiver or a hot loop never delays an invocation (architecture rule 10).
 * `lives` runs workflows and their steps in the database.
 */
export const TaskQueue = {
  lives: 'lives',
} as const;
export type TaskQueue = (typeof TaskQueue)[keyof typeof TaskQueue];
