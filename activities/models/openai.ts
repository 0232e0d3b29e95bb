import { z } from 'zod';
import { TokenCount, type WireFormat } from './wire-format.ts';

/** Only what is read; providers add members of their own. */
const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullable(),
        message: z.object({ content: z.string().nullable(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z.object({
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    total_tokens: TokenCount,
    prompt_tokens_details: z.object({ cached_tokens: TokenCount.nullish() }).nullish(),
  }),
});

/** Chat completions (https://platform.openai.com/docs/api-reference/chat/create), which many servers speak. */
export const openai: WireFormat = {
  path: '/chat/completions',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  body: ({ model, system, user, maxTokens, temperature, wantsJson }) => ({
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content: user }],
    // Not `max_tokens`, which is deprecated and which models that reason refuse.
    max_completion_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(wantsJson === true && { response_format: { type: 'json_object' } }),
  }),
  read(value) {
    const parsed = Completion.safeParse(value);
    if (!parsed.success) return null;
    const { choices, usage } = parsed.data;
    const [choice] = choices;
    if (choice === undefined) return null;
    const { content, refusal } = choice.message;
    return {
      outcome: 'answered',
      text: content ?? '',
      isWhole: choice.finish_reason === 'stop' && (refusal ?? null) === null,
      usage: {
        promptTokens: usage.prompt_tokens,
        completionTokens: usage.completion_tokens,
        totalTokens: usage.total_tokens,
        cachedPromptTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
      },
    };
  },
};
