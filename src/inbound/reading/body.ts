import type { JsonValue } from '../../json/value.ts';
import type { InboundProvider } from '../../fields/inbound-providers.ts';

/** A body as it came. */
export interface SentBody {
  /** The header Content-Type. */
  contentType: string | null;
  body: Uint8Array;
}

/** The body that a provider sent. */
export interface ScanInput extends SentBody {
  provider: InboundProvider;
}

/** Where a text is from: a place of the payload, and what stands there. */
export interface Field {
  place: string;
  text: string;
}

/** A place of the payload that is scanned. */
export interface Selected extends Field {
  /** It is HTML and nothing else; what looks like HTML besides is read both ways. */
  isHtml: boolean;
}

/** The texts that a document in a string has, in the order in which its reader reads it. */
export interface Document {
  /** The place in `selected`. */
  field: number;
  text: string;
}

/** A body that was read: what may be forwarded, and every text in it. */
export interface Body {
  payload: JsonValue;
  selected: Selected[];
  /** Why a part of the body is in `payload` and not in `selected`, or could not be read as a mail program would; each a sentence. */
  unscanned: { place: string; reason: string }[];
  /** The sender's own statements of the mail: addresses of From and Reply-To, and the place of the first. */
  sender: { from: string; replyTo: string; place: string } | undefined;
}
