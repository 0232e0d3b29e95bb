/** The task queue of the steps that reach out over the network (architecture rule 10). */
export const OUTBOUND = 'outbound';
