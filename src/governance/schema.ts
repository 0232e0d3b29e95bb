import { z } from 'zod';

export const ApprovalStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired', 'consumed']);
export type ApprovalStatus = z.infer<typeof ApprovalStatusSchema>;
