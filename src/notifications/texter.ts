/** An SMS as it goes out. */
export interface OutgoingSms {
  /** E.164. */
  to: string;
  text: string;
}

/**
 * `refused`: not taken, because of the number. `not_taken`: not taken, and the number is not the reason: no provider, one that is away, or
 * settings that it does not accept. `unknown`: it may have been taken.
 */
export type SmsOutcome = 'sent' | 'refused' | 'not_taken' | 'unknown';

/** Hands an SMS to the port that sends it, once for each call: nothing is tried again. Every failure is an outcome. */
export interface Texter {
  /** @param id of what is sent, for the log */
  send(id: string, sms: OutgoingSms): Promise<SmsOutcome>;
}
