/** The task queue of the steps that reach out over the network, so that a slow receiver never delays a step in the database. */
export const OUTBOUND = 'outbound';
/** The task queue of notifications and codes, to receivers that users choose: neither many nor slow ones delay payments and mail. */
export const RECEIVERS = 'receivers';
/** The task queue of what inbound events wait for, receivers and models: apart, so that neither forwards nor notifications take the other's places. */
export const FORWARDS = 'forwards';
/** The task queue of steps of skills that the service executes: strangers' code, on workers of its own where one machine is not enough. */
export const SEALED = 'sealed';
