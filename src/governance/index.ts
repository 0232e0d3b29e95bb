export { approvalToDecide, pageOfApprovals, type ApprovalToDecide } from './approvals.ts';
export { approvalGate } from './require-approval.ts';
