import type { HandedOver } from '../outbound/outcomes.ts';

/** An SMS as it goes out. */
interface OutgoingSms {
  /** E.164. */
  to: string;
  text: string;
}

/** Hands an SMS to the port that sends it, once for each call: nothing is tried again. Every failure is an outcome. */
export interface Texter {
  /** @param id of what is sent, for the log */
  send(id: string, sms: OutgoingSms): Promise<HandedOver>;
}
