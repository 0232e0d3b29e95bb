import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CONNECTIONS = 32;

export interface Hammered {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

export const loadTool = hasWrk ? 'wrk' : 'autocannon';

/** Requests a second that 32 connections get answered, each sending the next as soon as it has the answer. @throws Error where any answer was not 2xx */
export const hammer = (target: Hammered, seconds: number, folder: string): Promise<number> =>
  hasWrk ? wrk(target, seconds, folder) : autocannon(target, seconds);

async function wrk({ method, url, headers, body }: Hammered, seconds: number, folder: string): Promise<number> {
  const script = join(folder, 'wrk.lua');
  const sets = Object.entries(headers).map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`);
  writeFileSync(script, [`wrk.method = "${method}"`, ...(body === undefined ? [] : [`wrk.body = ${JSON.stringify(body)}`]), ...sets].join('\n'));
  const whole = Math.max(1, Math.round(seconds)); // wrk takes whole seconds only
  const { stdout } = await run('wrk', ['-t', '1', '-c', String(CONNECTIONS), '-d', `${whole}s`, '-s', script, url]);
  const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  if (perSecond === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk met failures at ${url}:\n${stdout}`);
  return Number(perSecond);
}

async function autocannon({ method, url, headers, body }: Hammered, seconds: number): Promise<number> {
  const { stdout } = await run(join(import.meta.dirname, 'node_modules', '.bin', 'autocannon'), [
    '--json', '--no-progress', '-c', String(CONNECTIONS), '-d', String(Math.max(1, Math.round(seconds))), '-m', method,
    ...(body === undefined ? [] : ['-b', body]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]),
    url,
  ]);
  const result = JSON.parse(stdout) as { requests: { average: number }; non2xx: number; errors: number };
  if (result.non2xx + result.errors > 0) throw new Error(`autocannon met ${result.non2xx} refusals and ${result.errors} errors at ${url}.`);
  return result.requests.average;
}
