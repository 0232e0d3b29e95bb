import type { ModelName } from './settings.ts';

/** One question to a model. Neither it nor the answer is kept or logged. */
export interface ModelQuestion extends ModelName {
  /** The order to the model; '': it is sent none. */
  system: string;
  /** The text that it is about. */
  user: string;
  /** Tokens of the answer; what the model thinks without showing it counts too, where its provider counts it. */
  maxTokens: number;
  /** From 0 to 2; left out, the provider's own. A provider that knows fewer refuses the others. */
  temperature?: number;
  /** The answer is to be a JSON object: where the wire format can force that, it does. Either text must name JSON then. */
  wantsJson?: true;
  /** A key of somebody else for the provider, in the place of the platform's. */
  apiKey?: string;
  /** Milliseconds for the whole call, DNS and the answer included. */
  timeoutMs: number;
  /** Gives the call up. */
  signal?: AbortSignal;
}

/** Tokens, as the provider counted them. */
export interface ModelUsage {
  /** Cached ones included. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** Tokens of the prompt that were cached; null where the provider does not say. */
  cachedPromptTokens: number | null;
}

/** The outcome of a call. Sentences are ours, for a log: none repeats what the provider sent, nor a key. */
export type ModelOutcome =
  /** `isWhole`: the model came to its end by itself; not so where it was cut off, or declined. */
  | { outcome: 'answered'; text: string; isWhole: boolean; usage: ModelUsage }
  /** The provider took the request and said no, as it does to a wrong key and to too many requests: nothing was computed. */
  | { outcome: 'refused'; sentence: string }
  /** Nothing of the request left. */
  | { outcome: 'not_sent'; sentence: string }
  /** The request left, and nobody knows what it cost: no answer, a fault of the provider, or an answer that is not as its format says. */
  | { outcome: 'unknown'; sentence: string };

/** Calls models by the providers of the settings, each question once: a call costs money. Every failure is an outcome. */
export interface ModelCaller {
  /** @throws TypeError for a provider that the settings do not have, which is a fault of the caller */
  ask(question: ModelQuestion): Promise<ModelOutcome>;
}
