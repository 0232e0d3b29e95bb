export { advanceNotification, describeNotifications, reconcileNotifications } from './deliveries/life.ts';
export { sendNotifications, type SenderContext, type Texter } from './deliveries/send.ts';
