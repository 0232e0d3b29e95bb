import { createServer } from 'node:http';
import { readJson, sendJson, serve, settings } from './child.ts';

/** node:http and nothing else: sends the text of the skill, and for a POST parses the body and writes the answer as JSON. */

const { skill, answer } = settings<{ skill: string; answer: object }>();
const bytes = Buffer.byteLength(skill);

await serve(
  createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes });
      response.end(skill);
      return;
    }
    void readJson(request).then(() => sendJson(response, JSON.stringify(answer)));
  }),
);
