export { approvalGate } from './require-approval.ts';
