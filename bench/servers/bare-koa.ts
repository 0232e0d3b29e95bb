import { createServer } from 'node:http';
import Koa from 'koa';
import { readJson, serve, settings } from './child.ts';

/** Koa with one middleware that does what bare-http.ts does, in Koa's own way. */

const { skill, answer } = settings<{ skill: string; answer: object }>();
const app = new Koa();
app.use(async (context) => {
  context.type = 'application/json';
  if (context.method === 'GET') {
    context.body = skill;
    return;
  }
  await readJson(context.req);
  context.body = answer;
});
const handle = app.callback();
await serve(createServer((request, response) => void handle(request, response)));
