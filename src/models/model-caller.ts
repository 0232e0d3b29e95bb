import type { ModelName } from './settings.ts';

/** One question to a model. Neither it nor the answer is kept or logged. */
export interface ModelQuestion extends ModelName {
  /** What the model is to do: ours. */
  system: string;
  /** What it is about. */
  user: string;
  /** Of the answer; what the model thinks without showing it counts too, where its provider counts it. */
  maxTokens: number;
  /** Gives the call up. */
  signal?: AbortSignal;
}

/** Tokens, as the provider counted them. */
export interface ModelUsage {
  /** Cached ones included. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** Of the prompt; null where the provider does not say. */
  cachedPromptTokens: number | null;
}

/** What became of a call. Sentences are ours, for a log: none repeats what the provider sent. */
export type ModelOutcome =
  /** `isWhole`: the model came to its end by itself; not so where it was cut off, or declined. */
  | { outcome: 'answered'; text: string; isWhole: boolean; usage: ModelUsage }
  /** The provider took the request and said no: nothing was computed. */
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
