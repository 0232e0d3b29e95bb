import { z } from 'zod';
import { email } from '../../fields/text.ts';

export const RoleSchema = z.enum(['owner', 'admin', 'member']);
export type Role = z.infer<typeof RoleSchema>;

export const MemberSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    email: z.string(),
    role: RoleSchema,
    status: z.enum(['invited', 'joined']).meta({
      description: 'invited: they have not signed in to this operator yet, and decide nothing.',
    }),
    created_at: z.string(),
  })
  .meta({
    id: 'Member',
    description: 'A person who works for an operator and signs in to its dashboard; each takes a seat.',
    examples: [
      {
        id: 'mem_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        email: 'ada@example.com',
        role: 'owner',
        status: 'joined',
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Member = z.infer<typeof MemberSchema>;

export const AddMemberSchema = z.strictObject({ email, role: RoleSchema }).meta({ id: 'AddMember' });
export type AddMember = z.infer<typeof AddMemberSchema>;
