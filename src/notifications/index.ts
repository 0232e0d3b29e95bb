export { advanceNotification, describeNotifications, reconcileNotifications } from './deliveries/life.ts';
export { sendNotifications, type SenderContext } from './deliveries/send.ts';
export {
  advanceVerification,
  describeVerifications,
  reconcileVerifications,
  sendVerification,
} from './destinations/verification/life.ts';
export { destinationSecrets } from './destinations/secrets.ts';
export type { Texter } from './texter.ts';
