import { z } from 'zod';
import { briefedEventTypes } from '../../events/index.ts';

/** The members of payloads that mails use; each event has some of it. */
const Payload = z.object({
  approval_id: z.string().optional(),
  action: z.string().optional(),
  requested_by: z.string().optional(),
  expires_at: z.string().optional(),
  checkout_id: z.string().optional(),
  agent_id: z.string().nullable().optional(),
  risk: z.string().optional(),
  member_id: z.string().optional(),
  role: z.string().nullable().optional(),
  invited_by: z.string().optional(),
  key_id: z.string().optional(),
  kind: z.string().optional(),
  created_by: z.string().optional(),
  changed_by: z.string().optional(),
  unblocked_by: z.string().optional(),
});

const BriefingItem = z.object({
  /** `work`: it waits for a decision. `security`: a change. `invitation`: the mail goes to who is invited. */
  class: z.enum(['work', 'security', 'invitation']),
  /** Another one, of a later release, makes the step fail: a worker of that release tells of it. */
  event_type: z.enum(briefedEventTypes),
  payload: Payload,
});
export type BriefingItem = z.infer<typeof BriefingItem>;

export const BriefingItems = z.array(BriefingItem);

/** Where the briefings of an operator stand. */
export interface BriefingStep {
  /** Something waits for the next mail, or an approval is looked at again later. */
  open: boolean;
  /** Milliseconds by Postgres' clock, at least 1,000; null where nothing waits. */
  waitMs: number | null;
  until: string | null;
}
