import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { listen } from '../../src/process/listen.ts';

/** The settings that the bench gave this program. */
export const settings = <Settings>(): Settings => JSON.parse(process.argv[2] ?? '{}') as Settings;

/** Notifies the bench that this program serves, and ends it when the bench disconnects or dies. */
export function ready(port = 0): void {
  process.once('disconnect', () => process.exit());
  process.send?.({ port });
}

export const serve = async (server: Server): Promise<void> => ready(await listen(server, { port: 0, host: undefined }));

/** Answers the requests of the bench. */
export function answering<Question>(answer: (question: Question) => Promise<object>): void {
  process.on('message', (question) => void answer(question as Question).then((given) => process.send?.(given)));
}

/** The body as JSON, the quickest way that plain Node has. */
export const readJson = <Body>(request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Body));
  });

export function sendJson(response: ServerResponse, written: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(written) });
  response.end(written);
}
