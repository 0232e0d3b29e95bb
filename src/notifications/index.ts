export { advanceBriefing, describeBriefings } from './briefings/life.ts';
export { areBriefingsOff, saveBriefingsOff } from './briefings/queries.ts';
export { unsubscribePages } from './briefings/unsubscribe-page.ts';
export { advanceNotification, describeNotifications, lookAtNotifications } from './deliveries/life.ts';
export { sendNotifications, type SenderContext } from './deliveries/send.ts';
export { advanceVerification, describeVerifications, sendVerification } from './destinations/verification/life.ts';
export { purgeVerificationCodes } from './destinations/verification/queries.ts';
export { destinationSecrets } from './destinations/secrets.ts';
export type { Texter } from './texter.ts';
