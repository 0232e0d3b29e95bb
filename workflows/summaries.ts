import type { Activities } from '../activities/index.ts';

/** Says what each step does, as it stands beside it in the timeline of a run. Plain sentences: a history keeps them (rule 3). */
export const SUMMARIES: Record<keyof Activities, string> = {
  actOnSignal: 'Performs what was sent through Temporal.',
  advanceInbound: 'Looks at the event: scans it, and decides what comes next.',
  advanceInvocation: 'Looks at the invocation: its deadline, its lease, its status.',
  advanceLog: 'Looks at the log of claims: what waits, and whether it may grow.',
  advanceMail: 'Looks at whether the mail is still wanted.',
  advanceNotification: 'Looks at what waits for the destination.',
  advancePayout: 'Looks at the payout.',
  advancePortal: 'Looks at the page of the portal.',
  advanceRefund: 'Looks at the refund.',
  advanceSession: 'Looks at what the session owes: checkpoints, checkouts, reviews.',
  advanceSubscription: 'Looks at the subscription: what is decided, bought and waits.',
  advanceTopUp: 'Looks at the top-up: opened, paid or over.',
  advanceVerification: 'Looks at the code and whose turn it is.',
  appendToLog: 'Gives the claims that wait their places in the log.',
  askWitnesses: 'Asks witnesses to sign the newest checkpoint.',
  checkTopUp: 'Checks with the payment provider what became of the checkout.',
  classifyInbound: 'Has a model judge the event, once.',
  closeSubscriptionCheckout: 'Closes a checkout at the payment provider.',
  executeSealedStep: 'Executes the next step of the skill.',
  fetchReceipt: 'Fetches the receipt from the payment provider.',
  fetchSubscription: 'Fetches from the payment provider how the subscription stands.',
  forwardInbound: 'Forwards the event, once.',
  openPayouts: 'States what a batch of publishers earned.',
  openPortalPage: 'Opens the page of the portal at the payment provider.',
  openSubscriptionCheckout: 'Opens the checkout of the subscription at the payment provider.',
  openTopUp: 'Opens the checkout of the top-up at the payment provider.',
  purgeAuditEvents: 'Purges audit events that a tier no longer keeps.',
  purgeInboundContents: 'Purges contents of inbound events that a tier no longer keeps.',
  pushSubscription: 'Pushes to the payment provider what was decided.',
  readPaymentEvents: 'Reads a page of events from the payment provider.',
  readRefunds: 'Reads the refunds of the payment at the payment provider.',
  requestRefund: 'Requests the refund from the payment provider.',
  rotateSigningKeysWhenDue: 'Rotates the keys that sign passports, where it is time.',
  sendMail: 'Sends the mail.',
  sendNotifications: 'Sends what waits for the destination, each once.',
  sendVerification: 'Sends the code, once.',
  transferPayout: 'Has the payment provider transfer the payout.',
};

/** Limits the characters: the server takes summaries of 400 bytes at most, and fails the task of a longer one. */
const LONGEST = 200;

/** The first line of a text, as a summary of a timer. */
export function summaryOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 3)}...`;
}
