import type { Activities } from '../activities/index.ts';
import { live } from './life.ts';
import { database } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceBriefing']>>;

/** The life that mails people of an operator about what waits for them, and waits between two mails. */
export const briefing = (): Promise<string> =>
  live({
    advance: database.advanceBriefing,
    next: ({ open }) => (open ? 'wait' : 'end'),
    act: {},
    describe,
    result: () => 'told',
    refusals: {
      cancelRequest: 'people are told what waits for them.',
    },
  });

const describe = ({ open, until }: Step): string =>
  open
    ? `Waits until ${until ?? 'it is woken'}, when people are mailed about what has come, or an approval is looked at again later.`
    : 'Ended: nothing is to be told.';
