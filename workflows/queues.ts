/** The task queue of the steps that reach out over the network, so that a slow receiver never delays a step in the database. */
export const OUTBOUND = 'outbound';
