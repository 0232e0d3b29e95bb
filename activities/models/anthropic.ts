import { z } from 'zod';
import { TokenCount, type WireFormat } from './wire-format.ts';

/** Only what is read. */
const Message = z.object({
  type: z.literal('message'),
  stop_reason: z.string().nullable(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  usage: z.object({
    input_tokens: TokenCount,
    output_tokens: TokenCount,
    cache_read_input_tokens: TokenCount.nullish(),
    cache_creation_input_tokens: TokenCount.nullish(),
  }),
});

/** The messages API (https://platform.claude.com/docs/en/api/messages). */
export const anthropic: WireFormat = {
  path: '/v1/messages',
  headers: (apiKey) => ({
    'anthropic-version': '2023-06-01', // the only one there is
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  }),
  body: ({ model, system, user, maxTokens, temperature }) => ({
    model,
    ...(system !== '' && { system }),
    messages: [{ role: 'user', content: user }],
    max_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
  }),
  read(value) {
    const parsed = Message.safeParse(value);
    if (!parsed.success) return null;
    const { content, stop_reason: stopReason, usage } = parsed.data;
    const cached = usage.cache_read_input_tokens ?? null;
    // Unlike others, input_tokens leaves out what was read from the cache or put into it.
    const promptTokens = usage.input_tokens + (cached ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    return {
      outcome: 'answered',
      text: content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''),
      isWhole: stopReason === 'end_turn',
      usage: {
        promptTokens,
        completionTokens: usage.output_tokens,
        totalTokens: promptTokens + usage.output_tokens,
        cachedPromptTokens: cached,
      },
    };
  },
};
