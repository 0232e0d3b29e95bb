/** Providers of language models as the setting LLM_PROVIDERS names them; nobody listens there. */
export const PROVIDERS = ['openai', 'claude'] as const;

const prices = { input_microcents: 25, cached_microcents: 2.5, output_microcents: 200 };

/** The settings of an instance that knows them. */
export const knownProviders = {
  LLM_PROVIDERS: JSON.stringify(
    PROVIDERS.map((slug) => ({
      slug,
      kind: slug === 'claude' ? 'anthropic' : 'openai',
      base_url: 'http://127.0.0.1:1',
      api_key: 'sk-the-key-of-the-platform',
      // docs/credentials.md names the second.
      models: ['tiny-1', 'gpt-5-mini'].map((model) => ({ model, ...prices })),
    })),
  ),
};
