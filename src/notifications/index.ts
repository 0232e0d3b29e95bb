export { advanceNotification, describeNotifications, lookAtNotifications } from './deliveries/life.ts';
export { sendNotifications } from './deliveries/send.ts';
export type { SenderContext } from './channels/channel.ts';
export { advanceVerification, describeVerifications, sendVerification } from './destinations/verification/life.ts';
export { purgeVerificationCodes } from './destinations/verification/queries.ts';
export { destinationSecrets } from './channels/secrets.ts';
export type { Texter } from './texter.ts';
