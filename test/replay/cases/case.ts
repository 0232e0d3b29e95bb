import type { Rig } from '../../temporal/rig.ts';
import type { Run } from '../../temporal/runs.ts';

/** Brings a life to where it ends, or has ended. @returns the run that is recorded when it has ended */
export type Case = (rig: Rig) => Promise<Run>;

/** Cases by the names of their histories, `<workflow>/<case>`. */
export type Cases = Record<string, Case>;
