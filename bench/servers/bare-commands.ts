import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { commandsOf, type AnswerRow } from '../commands.ts';
import type { World } from '../world.ts';
import { readJson, sendJson, serve, settings } from './child.ts';

/** node:http in front of the three SQL functions: the service's paths and answers, none of its checks. */

const { world, size } = settings<{ world: World; size: number }>();
const commands = commandsOf(new pg.Pool({ connectionString: world.databaseUrl, max: size }), world);

const answer = async (request: IncomingMessage): Promise<AnswerRow> => {
  const body = await readJson<{ input: object; output: object }>(request);
  const [, , , id = '', step] = request.url?.replace('/invocations', '').split('/') ?? [];
  if (step === 'invoke') return commands.invoke(body.input);
  return step === 'claim' ? commands.claim(id) : commands.complete(id, body.output);
};

const written = ({ snapshot, input, output }: AnswerRow): string =>
  JSON.stringify({
    ...JSON.parse(snapshot),
    input: JSON.parse(input),
    output: output === null ? null : JSON.parse(output),
  });

await serve(
  createServer((request, response) => {
    void answer(request).then((row) => sendJson(response, written(row)));
  }),
);
