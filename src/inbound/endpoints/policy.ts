import { BlockAtSchema, type BlockAt, type Policy } from './schema.ts';

/** Whether a policy is weaker than another in either part: what `block_at` says counts in `shadow` too, for the day on which it is enforced. */
export const letsMorePass = (after: Policy, before: Policy): boolean =>
  rank(after.block_at) > rank(before.block_at) || (after.mode === 'shadow' && before.mode === 'enforce');

const rank = (blockAt: BlockAt): number => BlockAtSchema.options.indexOf(blockAt);
