import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { service } from '../../support/service.ts';

/** The two lanes of the protocol: the handshake of 2025, and the single requests of 2026-07-28. */
export const LANES = ['2025', '2026-07-28'] as const;
export type Lane = (typeof LANES)[number];

/** The official client, connected with a credential. */
export async function connected(lane: Lane, key: string, baseUrl = service().baseUrl): Promise<Client> {
  const mode = lane === '2025' ? ('legacy' as const) : { pin: lane };
  const client = new Client({ name: 'carnet-test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
  return client;
}

export interface Result extends CallToolResult {
  _meta?: Record<string, unknown>;
  structuredContent?: Record<string, unknown>;
}

/** The members of a result for programs. */
export const metaOf = ({ _meta: meta = {} }: Result): Record<string, unknown> => meta;

export const callTool = async (client: Client, name: string, given: Record<string, unknown> = {}): Promise<Result> =>
  (await client.callTool({ name, arguments: given })) as Result;

/** The texts of a result, as a model reads them. */
export const textsOf = ({ content }: Result): string[] =>
  content.map((block) => (block.type === 'text' ? block.text : block.type));

export interface RpcAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: { id?: unknown; result?: Record<string, unknown>; error?: { code: number; message: string; data?: Problem } };
}

interface Problem {
  code?: string;
  request_id?: string;
}

interface Sent {
  key: string | null;
  /** Sent as it is where it is a text. */
  body: unknown;
  headers?: Record<string, string>;
  method?: string;
  baseUrl?: string;
}

/** One request to the door, as a client sends it that is not kind. */
export async function sendRaw({ key, body, headers = {}, method = 'POST', baseUrl }: Sent): Promise<RpcAnswer> {
  const response = await fetch(`${baseUrl ?? service().baseUrl}/mcp`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (json.startsWith('{') ? JSON.parse(json) : {}) as RpcAnswer['body'],
  };
}

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

interface Params {
  name?: string;
  taskId?: string;
  [member: string]: unknown;
}

/** A request of 2026-07-28, from a client that takes tasks unless `capabilities` say otherwise. */
export function sendModern(
  key: string | null,
  { method, params = {}, capabilities = TASKS }: { method: string; params?: Params; capabilities?: object },
): Promise<RpcAnswer> {
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const name = params.name ?? params.taskId;
  return sendRaw({
    key,
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    headers: { 'mcp-protocol-version': version, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) },
  });
}
