export { advanceNotification, describeNotifications, reconcileNotifications } from './deliveries/life.ts';
export { sendNotifications, type SenderContext } from './deliveries/send.ts';
export {
  advanceVerification,
  describeVerifications,
  reconcileVerifications,
  sendVerification,
} from './destinations/verification/life.ts';
export { sealSecretsAnew } from './destinations/seal-anew.ts';
export { newWebhookSecret } from './signing/secrets.ts';
export { signedRequest } from './signing/signed-request.ts';
export type { SmsOutcome, Texter } from './texter.ts';
