import type { Activities } from '../activities/index.ts';
import { live } from './life.ts';
import { STEPS } from './step-table.ts';
import { forwards, scanning } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceInbound']>>;

/** The life of an event that a provider sent: scanned, judged, and forwarded once where the policy lets it pass. */
export const inbound = (): Promise<string> =>
  live({
    advance: scanning.advanceInbound,
    next: ({ status }) =>
      status === 'classify' || status === 'forward' ? status : status === 'turn' || status === 'calls' ? 'wait' : 'end',
    act: {
      classify: (id) => forwards.classifyInbound(id),
      forward: (id) => forwards.forwardInbound(id),
    },
    describe,
    result: ({ status }) => status,
    refusals: {
      cancelRequest: 'revoking the endpoint ends what has not left yet.',
    },
  });

function describe({ status }: Step): string {
  if (status === 'classify') return 'Asks a model about what the scanner leaves undecided.';
  if (status === 'forward') return STEPS.forwardInbound.does;
  if (status === 'turn') return 'Waits for its turn among the forwards of the operator.';
  if (status === 'calls') return 'Waits for what becomes of a call, 40 seconds at most.';
  return status === 'gone' ? 'Ended: there is no such event.' : 'Ended: it is recorded what became of the event.';
}
