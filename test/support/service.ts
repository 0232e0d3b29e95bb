import assert from 'node:assert/strict';
import { request, type Dispatcher } from 'undici';
import type { ErrorCode } from '../../src/errors/codes.ts';
import { ErrorCodes } from '../../src/errors/codes.ts';
import { openPool, type DatabasePool } from '../../src/database/pool.ts';
import type { InstanceFacts } from './instance.ts';
import { wantSharedInstance } from './shared-instance.ts';

wantSharedInstance();

/** The instance that the suite shares. It is there when the first hook of a file runs, not while the file is loaded. */
export const service = (): InstanceFacts => {
  const facts = process.env.CARNET_TEST_INSTANCE;
  assert(
    facts !== undefined,
    'the instance is there from the first hook or test on; run the tests with mocha from the project folder',
  );
  return JSON.parse(facts) as InstanceFacts;
};

/** A small pool on the instance's database, for what only SQL can read or change. One for each process. */
let pool: Promise<DatabasePool> | undefined;
export const database = (): Promise<DatabasePool> =>
  (pool ??= openPool(service().databaseUrl, { size: 4, applicationName: 'carnet-test' }));

export interface Reply<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface Requester {
  key: string | null;
  get<Body = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<Reply<Body>>;
  post<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<Body>>;
  patch<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<Body>>;
  put<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<Body>>;
  delete<Body = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<Reply<Body>>;
}

/**
 * Sends HTTP requests with one credential (null: none). A body that is a string is sent unchanged, anything else as
 * JSON.
 */
export function requester(key: string | null, baseUrl: string = service().baseUrl): Requester {
  const send = async <Body>(
    method: Dispatcher.HttpMethod,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> | undefined },
  ): Promise<Reply<Body>> => {
    // Not `fetch`: with its streams it took a quarter of the processor time of a process that calls every route.
    const response = await request(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const received = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of [value ?? []].flat()) received.append(name, one);
    const json = /[/+]json\b/.test(received.get('content-type') ?? '') && text !== '';
    return { status: response.statusCode, headers: received, body: (json ? JSON.parse(text) : {}) as Body, text };
  };
  return {
    key,
    get: (path, headers) => send('GET', path, { headers }),
    post: (path, body, headers) => send('POST', path, { body, headers }),
    patch: (path, body, headers) => send('PATCH', path, { body, headers }),
    put: (path, body, headers) => send('PUT', path, { body, headers }),
    delete: (path, headers) => send('DELETE', path, { headers }),
  };
}

export const anonymous = (): Requester => requester(null);
export const platform = (): Requester => requester(service().credentials.admin_api_key);

/** Asserts a problem with this code, the status of the code, and the shape that every problem has. */
export function assertProblem(reply: Reply, code: ErrorCode, path?: string): void {
  assert.equal(reply.body.code, code, `expected ${code}, got ${reply.status} ${reply.text.slice(0, 400)}`);
  assert.equal(reply.status, ErrorCodes[code][0]);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/);
  for (const member of ['type', 'title', 'status', 'detail', 'instance', 'request_id']) {
    assert(member in reply.body, `a problem has ${member}`);
  }
  if (path !== undefined) {
    const paths = ((reply.body.errors ?? []) as { path: string }[]).map((fault) => fault.path);
    assert(paths.includes(path), `expected a fault at ${path}, got ${JSON.stringify(paths)}`);
  }
}

/** Asserts the status and returns the body; the failure shows the body. */
export function assertStatus<Body>(reply: Reply<Body>, status: number): Body {
  assert.equal(reply.status, status, `expected ${status}, got ${reply.status} ${reply.text.slice(0, 400)}`);
  return reply.body;
}
