import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callers } from './chains.ts';

const run = promisify(execFile);
const CONNECTIONS = 32;

interface Hammered {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

export const loadTool = hasWrk ? 'wrk' : 'own loop';

/**
 * Answers a second on 32 connections that each send a request after the other. Without wrk it is a loop in this process, which
 * finds a lower ceiling. @throws Error where an answer was not 2xx
 */
export const hammer = (target: Hammered, seconds: number, folder: string): Promise<number> =>
  hasWrk ? wrk(target, seconds, folder) : loop(target, [target.body ?? null], seconds);

interface HammeredEach {
  url: string;
  headers: Record<string, string>;
  /** Sent in turn. */
  bodies: readonly string[];
}

/** As `hammer`, with POSTs of different bodies. */
export const hammerEach = (target: HammeredEach, seconds: number, folder: string): Promise<number> =>
  hasWrk ? wrkEach(target, seconds, folder) : loop({ method: 'POST', ...target }, target.bodies, seconds);

function wrkEach({ url, headers, bodies }: HammeredEach, seconds: number, folder: string): Promise<number> {
  const lines = join(folder, 'wrk.bodies');
  writeFileSync(lines, bodies.join('\n'));
  return wrkOn(url, {
    seconds,
    folder,
    lua: [
      'wrk.method = "POST"',
      ...headersIn(headers),
      'local requests, at = {}, 0',
      `function init() for line in io.lines(${JSON.stringify(lines)}) do requests[#requests + 1] = wrk.format(nil, nil, nil, line) end end`,
      'function request() at = at % #requests + 1 return requests[at] end',
    ],
  });
}

async function loop(
  { method, url, headers }: Omit<Hammered, 'body'>,
  bodies: readonly (string | null)[],
  seconds: number,
): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  let at = 0;
  return await callers(origin, { callers: CONNECTIONS, seconds }, async (client) => {
    at = (at + 1) % bodies.length;
    const response = await client.request({ method, path, headers, body: bodies[at] ?? null });
    await response.body.dump();
    if (response.statusCode >= 300) throw new Error(`${method} ${path} was answered ${response.statusCode}.`);
  });
}

const headersIn = (headers: Record<string, string>): string[] =>
  Object.entries(headers).map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`);

function wrk({ method, url, headers, body }: Hammered, seconds: number, folder: string): Promise<number> {
  const sets = [
    `wrk.method = "${method}"`,
    ...(body === undefined ? [] : [`wrk.body = ${JSON.stringify(body)}`]),
    ...headersIn(headers),
  ];
  return wrkOn(url, { seconds, folder, lua: sets });
}

async function wrkOn(
  url: string,
  { seconds, folder, lua }: { seconds: number; folder: string; lua: string[] },
): Promise<number> {
  const script = join(folder, 'wrk.lua');
  writeFileSync(script, lua.join('\n'));
  const whole = Math.max(1, Math.round(seconds)); // wrk takes whole seconds only
  const { stdout } = await run('wrk', ['-t', '1', '-c', String(CONNECTIONS), '-d', `${whole}s`, '-s', script, url]);
  const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  if (perSecond === undefined || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk met failures at ${url}:\n${stdout}`);
  return Number(perSecond);
}
