import { z } from 'zod';
import { email } from '../fields/text.ts';

export const RequestCodeSchema = z.strictObject({ email }).meta({ id: 'RequestCode' });
export type RequestCode = z.infer<typeof RequestCodeSchema>;

export const CodeSentSchema = z
  .object({ sent: z.literal(true) })
  .meta({ id: 'CodeSent', description: 'The same for known and unknown addresses.' });

export const SignInSchema = z
  .strictObject({
    email,
    code: z
      .string()
      .regex(/^\d{6}$/, 'must be the six digits of the mail')
      .meta({ examples: ['123456'] }),
    operator_id: z.string().optional().meta({
      description:
        'Needed by people who work for several operators; OPERATOR_CHOICE_REQUIRED lists them. Naming one that has invited you accepts the invitation.',
    }),
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignInSchema>;

export const DashboardSessionSchema = z
  .object({
    id: z.string(),
    member: z.object({ id: z.string(), email: z.string(), role: z.enum(['owner', 'admin', 'member']) }),
    operator: z.object({ id: z.string(), name: z.string() }),
    created_at: z.string(),
    expires_at: z.string(),
  })
  .meta({
    id: 'DashboardSession',
    description: 'Who is signed in. The token of the session is in the cookie alone.',
    examples: [
      {
        id: 'dsh_01K0000000000000000000000A',
        member: { id: 'mem_01K0000000000000000000000A', email: 'ada@example.com', role: 'owner' },
        operator: { id: 'op_01K0000000000000000000000A', name: 'Ada Ltd' },
        created_at: '2026-11-21T12:00:00.000Z',
        expires_at: '2026-11-22T00:00:00.000Z',
      },
    ],
  });
export type DashboardSession = z.infer<typeof DashboardSessionSchema>;

export const OwnSessionSchema = z
  .object({
    id: z.string(),
    created_at: z.string(),
    expires_at: z.string(),
    current: z.boolean().meta({ description: 'Whether it is the one that asks' }),
  })
  .meta({
    id: 'OwnSession',
    description: 'A browser in which the person is signed in.',
    examples: [
      {
        id: 'dsh_01K0000000000000000000000A',
        created_at: '2026-11-21T12:00:00.000Z',
        expires_at: '2026-11-22T00:00:00.000Z',
        current: true,
      },
    ],
  });
export type OwnSession = z.infer<typeof OwnSessionSchema>;

export const SessionsEndedSchema = z
  .object({ ended: z.int().meta({ description: 'How many there were' }) })
  .meta({ id: 'SessionsEnded', examples: [{ ended: 2 }] });
