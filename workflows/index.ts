/** The bundle's entry: every function exported here is a workflow type of that name. */
export { inbound } from './inbound.ts';
export { invocation } from './invocation.ts';
export { keyRotation } from './key-rotation.ts';
export { logSequencer } from './log-sequencer.ts';
export { logWitnessing } from './log-witnessing.ts';
export { mail } from './mail.ts';
export { monthlyPayouts } from './monthly-payouts.ts';
export { paymentEvents } from './payment-events.ts';
export { notification } from './notification.ts';
export { payout } from './payout.ts';
export { portal } from './portal.ts';
export { refund } from './refund.ts';
export { retention } from './retention.ts';
export { session } from './session.ts';
export { subscription } from './subscription.ts';
export { topUp } from './top-up.ts';
export { verification } from './verification.ts';
