export { advanceNotification, describeNotifications, reconcileNotifications } from './deliveries/life.ts';
export { sendNotifications, type SenderContext } from './deliveries/send.ts';
export type { OutgoingSms, SmsOutcome, Texter } from './texter.ts';
