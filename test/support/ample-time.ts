import { Budget } from '../../src/turns/budget.ts';

/** Processor time that no test uses up. */
export const ampleTime = new Budget({ burst: Number.MAX_SAFE_INTEGER, perSecond: 1_000 });
