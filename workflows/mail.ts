import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { doing } from './step-table.ts';
import { database, outbound } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceMail']>>;

/** Where the row does not say for how long a mail is wanted. */
const ONE_TRY_MS = 1_000;

/** The life of a mail: sent by the operator's mail server, or given up when its time is over. */
export const mail = (): Promise<string> =>
  live({
    advance: database.advanceMail,
    next: ({ open }) => (open ? 'send' : 'end'),
    act: {
      send: (id, { waitMs }) => outbound({ withinMs: waitMs ?? ONE_TRY_MS }).sendMail(id),
    },
    describe,
    result: ({ status }) => status,
    refusals: {
      cancelRequest: 'the mail is wanted until its time is over.',
    },
  });

function describe({ open, status, expiresAt }: Step): string {
  if (open) return doing('sendMail', `again and again until ${expiresAt ?? 'it is taken'}`);
  return ended('mail', status);
}
