/** The task queue of the steps that reach out over the network (architecture rule 10). */
export const OUTBOUND = 'outbound';

/** While it works on such a step a worker tells so; one that is silent for this long counts as gone, and another takes the step. */
export const OUTBOUND_SILENCE = '10s';
