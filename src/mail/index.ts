export {
  advanceMail,
  describeMails,
  reconcileMails,
  sendMail,
  type Mailer,
  type MailerContext,
  type OutgoingMail,
} from './life.ts';
export { keepInOutbox } from './outbox.ts';
export { writeMail } from './write-mail.ts';
