import { z } from 'zod';

export const ApprovalStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired', 'consumed']);
export type ApprovalStatus = z.infer<typeof ApprovalStatusSchema>;

export const ApprovalSchema = z
  .object({
    id: z.string(),
    action: z.string().meta({ description: 'The act that a person is to approve.' }),
    method: z.string(),
    path: z.string(),
    status: ApprovalStatusSchema,
    requested_by: z.string().meta({ description: 'The credential that made the request.' }),
    decided_by: z.string().nullable().meta({ description: 'The member who decided.' }),
    decided_at: z.string().nullable(),
    consumed_at: z.string().nullable(),
    expires_at: z.string(),
    created_at: z.string(),
  })
  .meta({
    id: 'Approval',
    description: 'One request that waits for a person: approved, it may be repeated once with X-Governance-Approval.',
    examples: [
      {
        id: 'apr_01K0000000000000000000000A',
        action: 'agent.unblocked',
        method: 'POST',
        path: '/v1/agents/ag_01K0000000000000000000000A/unblock',
        status: 'pending',
        requested_by: 'key_01K0000000000000000000000A',
        decided_by: null,
        decided_at: null,
        consumed_at: null,
        expires_at: '2026-11-22T12:00:00.000Z',
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Approval = z.infer<typeof ApprovalSchema>;

/** With the body of the request, for those who decide. */
export const ApprovalWithBodySchema = ApprovalSchema.extend({
  body: z
    .unknown()
    .optional()
    .meta({
      description:
        'The body of the request; shown to owners and administrators who are signed in, while the service has the key that sealed it.',
      examples: [{ accountability: 'logged' }],
    }),
  subject: z
    .unknown()
    .optional()
    .meta({
      description:
        'The thing that it is about, as it was when it was requested; a change of it makes the approval lapse. Shown as `body` is; null: the request says it all.',
      examples: [{ id: 'ag_01K0000000000000000000000A', accountability: 'enforced' }],
    }),
}).meta({ id: 'ApprovalWithBody' });
export type ApprovalWithBody = z.infer<typeof ApprovalWithBodySchema>;

/** As many as an operator may have open. */
export const RejectApprovalsSchema = z
  .strictObject({
    ids: z
      .array(z.string().max(64))
      .min(1)
      .max(100)
      .meta({ description: 'Ids of requests to reject, and of approvals to withdraw' }),
  })
  .meta({ id: 'RejectApprovals' });
export type RejectApprovals = z.infer<typeof RejectApprovalsSchema>;
