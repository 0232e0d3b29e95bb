import type { Hits } from '../lexicon/trie.ts';
import type { NormalText } from '../text/normalise.ts';
import type { DetectorKey, Severity } from '../verdict.ts';

/** Detectors look at this: one text, the terms in it, and who says they sent it. */
export interface Scene {
  text: NormalText;
  /** `text.shown` as a string. */
  shown: string;
  hits: Hits;
  sender: { from: string; replyTo: string; place: string } | undefined;
  /** All of it is hidden from people: it was decoded. */
  unseen: boolean;
  /** Its spaces are lost, so words are found anywhere in it. */
  isDense: boolean;
}

export interface Detection {
  detector_key: DetectorKey;
  severity: Severity;
  /** Units of the normalised text. */
  start: number;
  end: number;
  reason: string;
}

/** Takes time that grows with the length of the text, and no faster. */
export type Detector = (scene: Scene) => Detection[];
