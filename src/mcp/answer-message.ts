import { createMcpHandler } from '@modelcontextprotocol/server';
import type { BytesAnswer } from '../http/route.ts';
import { isNamed, type Message } from './message.ts';
import { rpcError, RpcCodes } from './refusals.ts';
import { mcpServer } from './server.ts';

/** The headers that belong to the protocol; no other is handed on, a credential least of all. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/**
 * Answers one message: the handler of the protocol and its server are made for it and are forgotten with it. A stream has a single event
 * here, so the answer is sent when it is whole.
 */
export async function answerMessage(message: Message): Promise<BytesAnswer> {
  const { body, header } = message;
  if (Array.isArray(body))
    return refused(400, RpcCodes.invalidRequest, 'Send one message a request: a batch of them is not taken.');
  if (isNamed(body, 'subscriptions/listen'))
    return refused(
      404,
      RpcCodes.methodNotFound,
      'Nothing is announced here: poll tasks/get, or call tools/list again.',
    );
  const headers = HEADERS.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  // Without the signal of the client, which tools have from the message: to follow it took four tenths of the processor time of a message.
  const { fetch } = createMcpHandler(() => mcpServer(message), { keepAliveMs: 0 });
  const answer = await fetch(new Request('http://carnet/mcp', { method: 'POST', headers }), {
    parsedBody: body,
  });
  return {
    status: answer.status,
    bytes: Buffer.from(await answer.arrayBuffer()),
    mediaType: answer.headers.get('content-type') ?? 'application/json',
  };
}

const refused = (status: number, code: number, message: string): BytesAnswer => ({
  status,
  bytes: Buffer.from(JSON.stringify(rpcError(code, message))),
  mediaType: 'application/json',
});
