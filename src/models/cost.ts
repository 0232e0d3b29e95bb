import type { ModelQuestion, ModelUsage } from './model-caller.ts';
import type { TokenPrices } from './settings.ts';

const PICOCENTS = 1_000_000n;

type Counted = Pick<ModelUsage, 'promptTokens' | 'completionTokens' | 'cachedPromptTokens'>;

/** Returns what a call cost the platform, in microcents, rounded up once. With whole numbers: a sum of decimals would be one too many now and then. */
export function costOfCall(
  { promptTokens, completionTokens, cachedPromptTokens }: Counted,
  { input, cached, output }: TokenPrices,
): number {
  const fromCache = Math.min(cachedPromptTokens ?? 0, promptTokens);
  const picocents =
    BigInt(promptTokens - fromCache) * BigInt(input) +
    BigInt(fromCache) * BigInt(cached) +
    BigInt(completionTokens) * BigInt(output);
  return Number((picocents + PICOCENTS - 1n) / PICOCENTS);
}

type Asked = Pick<ModelQuestion, 'system' | 'user' | 'maxTokens'>;

/** Tokens that a provider puts around the two texts of a question, for roles and turns: a handful each. */
const FRAME_TOKENS = 64;

/** The tokens that a question may have at most: each stands for a byte at least. */
const maxPromptTokens = ({ system, user }: Asked): number =>
  Buffer.byteLength(system) + Buffer.byteLength(user) + FRAME_TOKENS;

/** More than this, in microcents, no call with this question is charged. */
export const maxCostOfCall = (asked: Asked, prices: TokenPrices): number =>
  costOfCall(
    { promptTokens: maxPromptTokens(asked), completionTokens: asked.maxTokens, cachedPromptTokens: null },
    // Reading from a cache may cost more than reading again: nothing forbids such a price.
    { ...prices, input: Math.max(prices.input, prices.cached) },
  );

/** The usage that counts: a provider that reports more than the question can have is not believed. */
export function countedUsage(asked: Asked, usage: ModelUsage): ModelUsage {
  const promptTokens = Math.min(usage.promptTokens, maxPromptTokens(asked));
  const completionTokens = Math.min(usage.completionTokens, asked.maxTokens);
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedPromptTokens: usage.cachedPromptTokens === null ? null : Math.min(usage.cachedPromptTokens, promptTokens),
  };
}
