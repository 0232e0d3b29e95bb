export { requireApproval } from './require-approval.ts';
