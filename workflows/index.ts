/** The bundle's entry: every function exported here is a workflow type of that name. */
export { keyRotation } from './key-rotation.ts';
export { mailMessage } from './mail-message.ts';
export { passportSession } from './passport-session.ts';
export { refund } from './refund.ts';
export { retention } from './retention.ts';
export { skillInvocation } from './skill-invocation.ts';
export { topUp } from './top-up.ts';
