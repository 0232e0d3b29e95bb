import { eventually } from '../../support/eventually.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

const begun =
  (act: (rig: Rig, run: Run, id: string) => Promise<unknown>, ttlSeconds?: number): Case =>
  async (rig) => {
    const { id } = await rig.invoke(ttlSeconds);
    const run = runOf(rig, id);
    await act(rig, run, id);
    return run;
  };

/** The same, once its life has begun to wait. */
const waiting = (act: (rig: Rig, run: Run, id: string) => Promise<unknown>): Case =>
  begun(async (rig, run, id) => {
    await run.showing(/^Waits/);
    await act(rig, run, id);
  });

export const invocations: Cases = {
  'invocation/over-before-delivery': begun(async (rig, _run, id) => {
    await rig.claim(id);
    await rig.complete(id);
  }),
  'invocation/completed-by-rest': waiting(async (rig, run, id) => {
    await rig.claim(id, 600);
    await run.showing(/^Claimed/);
    await rig.complete(id);
  }),
  'invocation/completed-by-signals': waiting(async (_rig, run) => {
    await run.handle.signal('claim', { lease_seconds: 600 });
    await run.showing(/^Claimed/);
    await run.handle.signal('complete', { output: { text: 'done' } });
  }),
  'invocation/completed-by-updates': waiting(async (_rig, run) => {
    await run.handle.executeUpdate('complete', { args: [{ output: { text: 'too early' } }] }).catch(() => 'refused');
    await run.handle.executeUpdate('claim', { args: [{ lease_seconds: 600 }] });
    await run.handle.executeUpdate('complete', { args: [{ output: { text: 'done' } }] });
  }),
  'invocation/claimed-and-completed-at-once': waiting(async (_rig, run) => {
    await Promise.all([run.handle.signal('claim'), run.handle.signal('complete', { output: { text: 'done' } })]);
    await run.handle.signal('complete', { output: { text: 'done' } }).catch(() => 'it has ended already');
  }),
  'invocation/failed': waiting(async (_rig, run) => {
    await run.handle.signal('claim');
    await run.handle.signal('fail', { error: { code: 'NO_IDEA', message: 'It cannot be done.' } });
  }),
  'invocation/cancelled': waiting((_rig, run) => run.handle.signal('cancel')),
  'invocation/lease-lapsed': waiting(async (rig, _run, id) => {
    await rig.claim(id, 1);
    await eventually('the lease to lapse', async () => (await rig.row(id)).status === 'pending');
    await rig.claim(id);
    await rig.complete(id);
  }),
  'invocation/expired': begun(() => Promise.resolve(), 2),
  'invocation/signals-refused': waiting(async (rig, run, id) => {
    await run.handle.signal('complete', { output: { text: 'too early' } });
    await run.handle.signal('claim', 'not an object');
    await run.handle.cancel();
    await run.showing(/Refused to cancel/);
    await rig.claim(id);
    await rig.complete(id);
  }),
};
