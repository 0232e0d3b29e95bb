import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ModelKind, ModelProvider } from '../../src/models/settings.ts';

/** A key of a customer, which the double takes as well. */
export const OWN_KEY = 'sk-a-key-of-a-customer-that-nothing-may-repeat';
/** The key that no log, error, history or row may hold. */
export const MODEL_KEY = 'sk-a-key-that-nothing-may-repeat';
export const MODEL = 'tiny/classifier-1';

/**
 * The members of POST /chat/completions that we may send: members of CreateChatCompletionRequest in OpenAI's OpenAPI document
 * (https://github.com/openai/openai-openapi), each as it must be, and none that is deprecated there.
 */
const OpenaiRequest = z.strictObject({
  model: z.string().min(1),
  messages: z
    .array(z.strictObject({ role: z.enum(['system', 'developer', 'user', 'assistant']), content: z.string() }))
    .min(1),
  max_completion_tokens: z.int().min(1),
  temperature: z.number().min(0).max(2).optional(),
  response_format: z.strictObject({ type: z.literal('json_object') }).optional(),
});

/** The members of POST /v1/messages that we may send: members of MessageCreateParams in https://platform.claude.com/docs/en/api/messages/create. */
const AnthropicRequest = z.strictObject({
  model: z.string().min(1),
  system: z.string().min(1).optional(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1) })).min(1),
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(1).optional(),
});

/** A question as it arrived, regardless of the wire format. */
export interface AskedQuestion {
  model: string;
  /** Absent: it was sent none. */
  system?: string;
  user: string;
  maxTokens: number;
  temperature?: number;
  /** That the answer must be a JSON object. */
  forcesJson?: true;
  /** Absent: the key of the platform. */
  apiKey?: string;
}

interface Usage {
  /** Tokens of the prompt: cached ones are counted in. */
  prompt: number;
  cached: number | null;
  completion: number;
}

/** How the double answers what is right. */
export type Behaviour =
  | { says: string; end?: 'whole' | 'cut_off' | 'declined'; usage?: Partial<Usage>; headers?: Record<string, string> }
  | { status: number; headers?: Record<string, string> }
  | { raw: string | Buffer; headers?: Record<string, string> }
  /** Announces more than it sends, and ends the connection. */
  | { cut: string }
  | 'hang'
  | 'drip'
  /** Begins an answer that never ends, as fast as it is read. */
  | 'flood'
  | 'reset'
  /** Answers when the test says so. */
  | { after: Promise<void>; says: string };

export interface ModelDouble {
  provider: ModelProvider;
  /** The questions that it took. */
  asked: AskedQuestion[];
  /** Requests of any kind. */
  calls(): number;
  behave: Behaviour | ((question: AskedQuestion) => Behaviour);
  stop(): Promise<void>;
}

const USAGE: Usage = { prompt: 400, cached: null, completion: 12 };

/** Prices of the double's only model, in picocents a token: 25, 2.5 and 200 microcents. */
export const PRICES = { input: 25_000_000, cached: 2_500_000, output: 200_000_000 };

/** A provider on this machine that takes what the reference of its wire format allows and refuses everything else. */
export async function startModels(kind: ModelKind, behave: ModelDouble['behave']): Promise<ModelDouble> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    const parts: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void answer(request, response, Buffer.concat(parts).toString('utf8')));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const question = questionOf(kind, request, body);
    if ('status' in question) return problem(kind, response, question);
    double.asked.push(question);
    let behaviour = typeof double.behave === 'function' ? double.behave(question) : double.behave;
    if (typeof behaviour === 'object' && 'after' in behaviour) {
      await behaviour.after;
      behaviour = { says: behaviour.says };
    }
    if (behaviour === 'hang') return undefined;
    if (behaviour === 'reset') return void request.socket.resetAndDestroy();
    if (behaviour === 'drip') return drip(response);
    if (behaviour === 'flood') return flood(response);
    if ('status' in behaviour) {
      for (const [name, value] of Object.entries(behaviour.headers ?? {})) response.setHeader(name, value);
      return problem(kind, response, { status: behaviour.status, message: `No, and not with ${MODEL_KEY}` });
    }
    if ('cut' in behaviour) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 10_000 });
      return void response.write(behaviour.cut, () => request.socket.destroy());
    }
    response.writeHead(200, { 'content-type': 'application/json', ...behaviour.headers });
    response.end('raw' in behaviour ? behaviour.raw : JSON.stringify(answerOf(kind, question.model, behaviour)));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const double: ModelDouble = {
    provider: {
      slug: `${kind}-double`,
      kind,
      baseUrl: kind === 'openai' ? `${origin}/v1` : origin,
      apiKey: MODEL_KEY,
      models: new Map([[MODEL, PRICES]]),
    },
    asked: [],
    calls: () => calls,
    behave,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return double;
}

/** The setting LLM_PROVIDERS with this provider alone. */
export const settingOf = ({ slug, kind, baseUrl, apiKey, models }: ModelProvider): string =>
  JSON.stringify([
    {
      slug,
      kind,
      base_url: baseUrl,
      api_key: apiKey,
      models: [...models].map(([model, { input, cached, output }]) => ({
        model,
        input_microcents: input / 1_000_000,
        cached_microcents: cached / 1_000_000,
        output_microcents: output / 1_000_000,
      })),
    },
  ]);

interface Problem {
  status: number;
  message: string;
}

/** The key that a request shows where its format has it; undefined: none, or one elsewhere. */
const keyIn: Record<ModelKind, (headers: IncomingMessage['headers']) => string | undefined> = {
  openai: (headers) =>
    headers['x-api-key'] === undefined ? headers.authorization?.match(/^Bearer (.+)$/)?.[1] : undefined,
  anthropic: (headers) => (headers.authorization === undefined ? headers['x-api-key']?.toString() : undefined),
};

/** Judges a request by the reference of its format. */
function questionOf(kind: ModelKind, request: IncomingMessage, body: string): AskedQuestion | Problem {
  const path = kind === 'openai' ? '/v1/chat/completions' : '/v1/messages';
  if (request.method !== 'POST' || request.url !== path) return { status: 404, message: `no ${request.url}` };
  const key = keyIn[kind](request.headers);
  if (key !== MODEL_KEY && key !== OWN_KEY) return { status: 401, message: 'no such key' };
  const own = key === OWN_KEY ? { apiKey: OWN_KEY } : {};
  if (request.headers['content-type'] !== 'application/json') return { status: 415, message: 'no JSON' };
  if (kind === 'anthropic' && request.headers['anthropic-version'] !== '2023-06-01')
    return { status: 400, message: 'anthropic-version: header is required' };
  if (kind === 'openai') {
    const parsed = OpenaiRequest.safeParse(JSON.parse(body));
    if (!parsed.success) return { status: 400, message: parsed.error.message };
    const { model, messages, max_completion_tokens: maxTokens, temperature, response_format: format } = parsed.data;
    const [system, user, ...more] = messages.length === 1 ? [undefined, ...messages] : messages;
    if ((system !== undefined && system.role !== 'system') || user?.role !== 'user' || more.length > 0)
      return { status: 400, message: 'roles' };
    // The reference of response_format: without it the model may write white space up to the limit, so it is refused.
    if (format !== undefined && !messages.some(({ content }) => content.includes('JSON')))
      return { status: 400, message: "'messages' must contain the word 'json'" };
    return {
      model,
      ...(system !== undefined && { system: system.content }),
      user: user.content,
      maxTokens,
      ...(temperature !== undefined && { temperature }),
      ...(format !== undefined && { forcesJson: true }),
      ...own,
    };
  }
  const parsed = AnthropicRequest.safeParse(JSON.parse(body));
  if (!parsed.success) return { status: 400, message: parsed.error.message };
  const { model, system, messages, max_tokens: maxTokens, temperature } = parsed.data;
  const [user, ...more] = messages;
  if (user?.role !== 'user' || more.length > 0) return { status: 400, message: 'roles' };
  return {
    model,
    ...(system !== undefined && { system }),
    user: user.content,
    maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...own,
  };
}

function problem(kind: ModelKind, response: ServerResponse, { status, message }: Problem): void {
  const error =
    kind === 'openai'
      ? { error: { message, type: 'invalid_request_error', param: null, code: null } }
      : { type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_1' };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

/** One byte of an answer a second. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 1_000);
  response.on('close', () => clearInterval(timer));
}

/** White space in front of an answer, without an end. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(65_536, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

function answerOf(
  kind: ModelKind,
  model: string,
  { says, end = 'whole', usage = {} }: Behaviour & { says: string; end?: string; usage?: Partial<Usage> },
): object {
  const { prompt, cached, completion } = { ...USAGE, ...usage };
  if (kind === 'openai')
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_790_000_000,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: end === 'declined' ? null : says,
            refusal: end === 'declined' ? says : null,
          },
          logprobs: null,
          finish_reason: end === 'cut_off' ? 'length' : 'stop',
        },
      ],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        ...(cached !== null && { prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 } }),
      },
    };
  const stop = { whole: 'end_turn', cut_off: 'max_tokens', declined: 'refusal' }[end as 'whole'];
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: says, citations: null }],
    stop_reason: stop,
    stop_sequence: null,
    usage: {
      input_tokens: prompt - (cached ?? 0),
      output_tokens: completion,
      cache_creation_input_tokens: cached === null ? null : 0,
      cache_read_input_tokens: cached,
      service_tier: 'standard',
    },
  };
}
