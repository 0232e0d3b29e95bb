/** An SMS as it goes out. */
export interface OutgoingSms {
  /** E.164. */
  to: string;
  text: string;
}

/** `refused`: it was not taken, and is not sent. `unknown`: it may have been taken. */
export type SmsOutcome = 'sent' | 'refused' | 'unknown';

/** Hands an SMS to whoever sends it, once for each call: nothing is tried again. Every failure is an outcome. */
export interface Texter {
  /** @param id of what is sent, for the log */
  send(id: string, sms: OutgoingSms): Promise<SmsOutcome>;
}
