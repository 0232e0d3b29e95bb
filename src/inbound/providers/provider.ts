import type { Body, SentBody } from '../reading/body.ts';
import type { ReadBody } from '../reading/keys.ts';
import type { Scheme } from './schemes.ts';

/** The texts of a sample. */
export interface SampleTexts {
  subject: string;
  text: string;
}

/** A request as a provider would send it. */
export interface SampleRequest {
  headers: Record<string, string>;
  body: string;
}

/** Who sends to inbound endpoints. One folder a kind; all that differs between kinds is a member of this. */
export interface Provider {
  /** Bytes of a body at most. */
  bodyLimit: number;
  /** Seconds that it waits for the end of its event, at most. */
  waitSeconds: number;
  /** How it may sign, in the order in which these are looked at: the first that a request carries decides. */
  schemes: readonly Scheme[];
  /** The id of a delivery that it names in a header, which nobody signs; null: it names none. */
  deliveryIdOf(headers: NodeJS.ReadOnlyDict<readonly string[]>): string | null;
  /** Reads what identifies a body, immediately. @throws UnreadableBody */
  identify(sent: SentBody): ReadBody;
  /** Reads the whole body, with every text that is scanned, in a thread of the scanner. @throws UnreadableBody */
  read(sent: SentBody): Promise<Body>;
  /** An event with these texts, signed now in every way that the secret keys. */
  sample(signing: { secret: string; eventId: string; now: Date }, texts: SampleTexts): SampleRequest;
}
