import { lifeId } from '../../../src/ids/life-ids.ts';
import { freePort } from '../../../src/embedded/ports.ts';
import { waitingCode } from '../../notifications/destinations/waiting-code.ts';
import { runOf } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

/** @param address whom the code goes to */
const sending =
  (channel: 'sms' | 'webhook', address: () => Promise<string>): Case =>
  async (rig) => {
    const run = runOf(rig, lifeId.verification((await waitingCode(rig, { channel, address: await address() })).codeId));
    await run.ended();
    return run;
  };

export const verifications: Cases = {
  'verification/sent': sending('sms', () => Promise.resolve('+15550100001')),
  'verification/failed': sending('webhook', async () => `http://127.0.0.1:${await freePort()}/x`),
};
