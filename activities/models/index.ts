import type { Context } from '../../src/context/context.ts';
import type { ModelCaller } from '../../src/models/model-caller.ts';
import type { ModelKind } from '../../src/models/settings.ts';
import { anthropic } from './anthropic.ts';
import { callOnce } from './call.ts';
import { openai } from './openai.ts';
import type { WireFormat } from './wire-format.ts';

const formats: Record<ModelKind, WireFormat> = { openai, anthropic };

/** Calls models by the providers of LLM_PROVIDERS. */
export function createModelCaller({ config, log }: Context): ModelCaller {
  return {
    async ask(question) {
      const provider = config.modelProviders.find(({ slug }) => slug === question.provider);
      if (provider === undefined) throw new TypeError(`LLM_PROVIDERS has no provider ${question.provider}.`);
      const outcome = await callOnce(formats[provider.kind], provider, question);
      if (outcome.outcome !== 'answered') {
        const { outcome: ended, sentence } = outcome;
        log.warn({ provider: provider.slug, model: question.model, outcome: ended }, sentence);
      }
      return outcome;
    },
  };
}
