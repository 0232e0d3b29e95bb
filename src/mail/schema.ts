import { z } from 'zod';

export const OutboxMessageSchema = z
  .object({
    id: z.string(),
    channel: z.enum(['email', 'sms']),
    to: z.string(),
    subject: z.string().nullable().meta({ description: 'null: an SMS has none' }),
    text: z.string(),
    created_at: z.string(),
  })
  .meta({
    id: 'OutboxMessage',
    description: 'A mail or an SMS that was not sent, because the service has nobody who sends it.',
    examples: [
      {
        id: 'msg_01K0000000000000000000000A',
        channel: 'email',
        to: 'ada@example.com',
        subject: 'Your sign-in code',
        text: 'Your code is\n\n123456\n',
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type OutboxMessage = z.infer<typeof OutboxMessageSchema>;

/** Where a mail is, and what its life waits for. */
export interface MailStep {
  /** `gone`: there is no such row. `refused`: the mail server will never take it. `unknown`: it may have taken it. */
  status: 'outbox' | 'waiting' | 'sent' | 'refused' | 'unknown' | 'expired' | 'gone';
  open: boolean;
  /** Milliseconds by Postgres' clock until its time is over, at least 1,000; null where there is no row. */
  waitMs: number | null;
  expiresAt: string | null;
}
