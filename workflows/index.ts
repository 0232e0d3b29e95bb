/** The bundle's entry: every function exported here is a workflow type of that name. */
export { keyRotation } from './key-rotation.ts';
export { mailMessage } from './mail-message.ts';
export { monthlyPayouts } from './monthly-payouts.ts';
export { passportSession } from './passport-session.ts';
export { payout } from './payout.ts';
export { portalSession } from './portal.ts';
export { refund } from './refund.ts';
export { retention } from './retention.ts';
export { skillInvocation } from './skill-invocation.ts';
export { operatorSubscription } from './subscription.ts';
export { topUp } from './top-up.ts';
