export { hashOfLeaf as leafHashOf } from './merkle.ts';
export { consistencyOf, inclusionOf, rootAt } from './proofs.ts';
export { findNewestCheckpoint as latestCheckpoint } from './queries.ts';
export { receiptOf, receiptsOf } from './receipts.ts';
