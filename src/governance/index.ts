export {
  approvalToDecide,
  decideApproval,
  pageOfApprovals,
  rejectApprovals,
  type ApprovalToDecide,
} from './approvals.ts';
export { RejectApprovalsSchema } from './schema.ts';
export { approvalGate } from './require-approval.ts';
