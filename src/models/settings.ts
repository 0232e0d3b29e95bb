import { z } from 'zod';
import { parseStrictJson } from '../json/strict.ts';

/** The price of a token, in picocents: millionths of a microcent, so that a price with decimals is a whole number. */
export interface TokenPrices {
  input: number;
  /** The price of input that the provider had read before and kept. */
  cached: number;
  output: number;
}

/** Names whose wire format a provider speaks. */
export type ModelKind = 'openai' | 'anthropic';

/** A provider of language models that the platform has an account with, or runs itself. */
export interface ModelProvider {
  slug: string;
  kind: ModelKind;
  /** As the provider's own clients take it: the paths of the wire format are behind it. No slash at the end. */
  baseUrl: string;
  /** Absent: it takes calls without one, as a server of one's own may. */
  apiKey: string | undefined;
  /** By name. */
  models: ReadonlyMap<string, TokenPrices>;
}

/** One model of one provider. */
export interface ModelName {
  provider: string;
  model: string;
}

const PICOCENTS = 1_000_000;

/** Microcents a token, six decimals at most; a cent a token is a hundred times what the dearest model costs. */
const price = z
  .number('must be a number of microcents')
  .min(0, 'must not be less than 0')
  .max(1_000_000, 'must be 1000000 at most')
  .refine((value) => Math.round(value * PICOCENTS) / PICOCENTS === value, 'must have six decimals at most')
  .transform((value) => Math.round(value * PICOCENTS));

const ModelSchema = z.strictObject({
  model: z.string('must be a text').min(1, 'must not be empty').max(200, 'must have 200 characters at most'),
  input_microcents: price,
  cached_microcents: price,
  output_microcents: price,
});

const baseUrl = z
  .string('must be a text')
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, username, password, search, hash } = new URL(text);
    return (protocol === 'https:' || protocol === 'http:') && username + password + search + hash === '';
  }, 'must be a URL starting with https:// or http://, without user, query and fragment')
  .transform((text) => text.replace(/\/+$/, ''));

const ProviderSchema = z.strictObject({
  slug: z.string('must be a text').regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9, - and _'),
  kind: z.enum(['openai', 'anthropic'], 'must be openai or anthropic'),
  base_url: baseUrl,
  // A text that may stand in a header: a line break would be a fault of the call, whose error could name the key.
  api_key: z
    .string('must be a text')
    .regex(/^[\x21-\x7e]{1,1000}$/, 'must be 1 to 1000 visible ASCII characters')
    .optional(),
  models: z.array(ModelSchema, 'must be a list').min(1, 'must name a model at least'),
});

const ProvidersSchema = z.array(ProviderSchema, 'must be a list').superRefine((providers, context) => {
  const repeated = (names: string[]): string | undefined => names.find((name, at) => names.indexOf(name) < at);
  const slug = repeated(providers.map((one) => one.slug));
  if (slug !== undefined) context.addIssue({ code: 'custom', message: `has the slug ${slug} twice` });
  for (const one of providers) {
    const model = repeated(one.models.map((each) => each.model));
    if (model !== undefined)
      context.addIssue({ code: 'custom', message: `has the model ${model} twice in ${one.slug}` });
  }
});

/** The setting LLM_PROVIDERS. Its faults say where they are, and never what stands there: it holds keys. */
export const modelProviders = z.string().transform((text, context): readonly ModelProvider[] => {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON list of providers' });
    return z.NEVER;
  }
  const parsed = ProvidersSchema.safeParse(value);
  if (parsed.success) return parsed.data.map(providerOf);
  for (const { path, message, code } of parsed.error.issues) {
    const at = path.length === 0 ? '' : `${path.join('.')}: `;
    const said = code === 'unrecognized_keys' ? 'has a member that is none of a provider or a model' : message;
    context.addIssue({ code: 'custom', message: `is not right: ${at}${said}` });
  }
  return z.NEVER;
});

const providerOf = ({ slug, kind, base_url, api_key, models }: z.output<typeof ProviderSchema>): ModelProvider => ({
  slug,
  kind,
  baseUrl: base_url,
  apiKey: api_key,
  models: new Map(
    models.map((one) => [
      one.model,
      { input: one.input_microcents, cached: one.cached_microcents, output: one.output_microcents },
    ]),
  ),
});

/** A setting that names a model, `slug/model`; what follows the first slash is the model's name, slashes included. */
export const modelName = z
  .string()
  .regex(/^[^/]+\/.+$/, 'must be slug/model, a provider of LLM_PROVIDERS and one of its models')
  .transform((text): ModelName => {
    const slash = text.indexOf('/');
    return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
  });

/** @returns undefined where no provider has it */
export const pricesOfModel = (
  providers: readonly ModelProvider[],
  { provider, model }: ModelName,
): TokenPrices | undefined => providers.find(({ slug }) => slug === provider)?.models.get(model);
