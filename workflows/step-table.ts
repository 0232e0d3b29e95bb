import type { Activities } from '../activities/index.ts';

/**
 * `database`: inside the workflow task. `scanning`: the same, for as long as a scanner takes. The others are task queues: `outbound` of what waits
 * for payment provider, mail server or witnesses, `receivers` and `forwards` of calls to addresses that users choose, `sealed` of strangers' code.
 */
type Place = 'database' | 'scanning' | 'outbound' | 'receivers' | 'forwards' | 'sealed';

/**
 * Every step that a life has: where it runs, and what it does, as it stands beside it in the timeline of a run. Plain sentences: a history
 * keeps them (rule 3). What a workflow calls follows from here, so one that is forgotten does not compile, nor does one that is called elsewhere.
 */
export const STEPS = {
  actOnSignal: { runs: 'database', does: 'Performs what was sent through Temporal.' },
  advanceBriefing: { runs: 'database', does: 'Writes mails to people about what has come.' },
  advanceInbound: { runs: 'scanning', does: 'Looks at the event: scans it, and decides what comes next.' },
  advanceInvocation: { runs: 'database', does: 'Looks at the invocation: its deadline, its lease, its status.' },
  advanceLog: { runs: 'database', does: 'Looks at the log of claims: what waits, and whether it may grow.' },
  advanceMail: { runs: 'database', does: 'Looks at whether the mail is still wanted.' },
  advanceNotification: { runs: 'database', does: 'Looks at what waits for the destination.' },
  advancePayout: { runs: 'database', does: 'Looks at the payout.' },
  advancePortal: { runs: 'database', does: 'Looks at the page of the portal.' },
  advanceRefund: { runs: 'database', does: 'Looks at the refund.' },
  advanceSession: { runs: 'database', does: 'Looks at what the session owes: checkpoints, checkouts, reviews.' },
  advanceSubscription: { runs: 'database', does: 'Looks at the subscription: what is decided, bought and waits.' },
  advanceTopUp: { runs: 'database', does: 'Looks at the top-up: opened, paid or over.' },
  advanceVerification: { runs: 'database', does: 'Looks at the code and whose turn it is.' },
  appendToLog: { runs: 'database', does: 'Gives the claims that wait their places in the log.' },
  askWitnesses: { runs: 'outbound', does: 'Asks witnesses to sign the newest checkpoint.' },
  checkTopUp: { runs: 'outbound', does: 'Checks with the payment provider what became of the checkout.' },
  classifyInbound: { runs: 'forwards', does: 'Has a model judge the event, once.' },
  closeSubscriptionCheckout: { runs: 'outbound', does: 'Closes a checkout at the payment provider.' },
  executeSealedStep: { runs: 'sealed', does: 'Executes the next step of the skill.' },
  fetchReceipt: { runs: 'outbound', does: 'Fetches the receipt from the payment provider.' },
  fetchSubscription: { runs: 'outbound', does: 'Fetches from the payment provider how the subscription stands.' },
  forwardInbound: { runs: 'forwards', does: 'Forwards the event, once.' },
  openPayouts: { runs: 'database', does: 'States what a batch of publishers earned.' },
  openPortalPage: { runs: 'outbound', does: 'Opens the page of the portal at the payment provider.' },
  openSubscriptionCheckout: {
    runs: 'outbound',
    does: 'Opens the checkout of the subscription at the payment provider.',
  },
  openTopUp: { runs: 'outbound', does: 'Opens the checkout of the top-up at the payment provider.' },
  purgeContents: { runs: 'database', does: 'Purges what a tier no longer keeps.' },
  pushSubscription: { runs: 'outbound', does: 'Pushes to the payment provider what was decided.' },
  readPaymentEvents: { runs: 'outbound', does: 'Reads a page of events from the payment provider.' },
  readRefunds: { runs: 'outbound', does: 'Reads the refunds of the payment at the payment provider.' },
  requestRefund: { runs: 'outbound', does: 'Requests the refund from the payment provider.' },
  rotateSigningKeysWhenDue: { runs: 'database', does: 'Rotates the keys that sign passports, where it is time.' },
  sendMail: { runs: 'outbound', does: 'Sends the mail.' },
  sendNotifications: { runs: 'receivers', does: 'Sends what waits for the destination, each once.' },
  sendVerification: { runs: 'receivers', does: 'Sends the code, once.' },
  transferPayout: { runs: 'outbound', does: 'Has the payment provider transfer the payout.' },
} as const satisfies Record<keyof Activities, { runs: Place; does: string }>;

type Steps = typeof STEPS;

/** The steps that run in this place. */
export type StepsIn<P extends Place> = {
  [Name in keyof Steps as Steps[Name]['runs'] extends P ? Name : never]: Activities[Name];
};

/** Says what a step does and for how long: `again and again until …`. */
export const doing = (step: keyof Steps, forHowLong: string): string =>
  `${STEPS[step].does.replace(/\.$/, '')}, ${forHowLong}.`;
