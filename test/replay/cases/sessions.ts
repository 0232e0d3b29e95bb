import { beginSession, type Session } from '../../passports/accountability/sessions.ts';
import type { Case, Cases } from './case.ts';

/** Records what becomes of a session whose first checkpoint is awaited. */
const begun =
  (act: (session: Session) => Promise<unknown>): Case =>
  async (rig) => {
    const session = await beginSession(rig);
    await session.life.showing(/^Waits for checkpoint 1/);
    await act(session);
    return session.life;
  };

export const sessions: Cases = {
  'session/checked-out': begun(async (session) => {
    await session.checkpoint();
    await session.life.showing(/^Waits for checkpoint 2/);
    await session.block(String(await session.checkout()));
  }),
  'session/missed-checkpoints': begun(async (session) => {
    await session.passes(376);
    await session.life.showing(/^Waits for checkpoint 1/);
    await session.passes(300);
    await session.revoke();
  }),
  'session/missed-checkout': begun(async (session) => {
    await session.passes(3_600 + 901);
    const reviewing = await session.life.showing(/^Waits for review/);
    await session.block(/chko_\w+/.exec(reviewing)?.[0] ?? '');
  }),
  'session/signals-refused': begun(async (session) => {
    await session.life.handle.signal('checkpoint', {});
    await session.life.handle.cancel();
    await session.life.showing(/Refused to cancel/);
    await session.revoke();
  }),
};
