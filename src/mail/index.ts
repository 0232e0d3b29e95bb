export {
  advanceMail,
  deliverMail,
  describeMails,
  reconcileMails,
  type MailOutcome,
  type OutgoingMail,
} from './life.ts';
export { writeMail } from './write-mail.ts';
