export { advanceMail, describeMails, sendMail, type Mailer, type MailerContext, type OutgoingMail } from './life.ts';
export { purgeMails } from './queries.ts';
export { keepInOutbox, pageOfOutbox } from './outbox.ts';
export { mailHtml } from './html.ts';
export { subjectOfUnsubscribing, unsubscribeLink } from './unsubscribe.ts';
export { mailMetrics } from './waiting.ts';
export { writeMail } from './write-mail.ts';
