import { Quota } from '../../src/turns/quota.ts';

/** Processor time that no test uses up. */
export const ampleTime = new Quota({ burst: Number.MAX_SAFE_INTEGER, perSecond: 1_000 });
