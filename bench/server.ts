import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { onServerCore } from './pinning.ts';

/** The programs in servers/: the service, floors, receivers. */
export type ServerName =
  | 'carnet'
  | 'bare-http'
  | 'bare-pages'
  | 'bare-commands'
  | 'bare-deliveries'
  | 'scripts'
  | 'bare-scripts'
  | 'sink'
  | 'debits'
  | 'verifications'
  | 'passports';

export interface Server {
  /** `http://127.0.0.1:<port>`, for those that listen. */
  origin: string;
  port: number;
  pid: number;
  /** Sends a request over the process channel and resolves with the answer; one at a time. */
  request<Answer>(message: object): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Starts a program of servers/ on the core of the servers, with its settings as JSON in the first argument; it sends
 * `{port}` when it serves. `CPU_PROFILE=<folder>` writes a CPU profile of each. Its output goes to a file as in production,
 * since writing it is part of the work.
 */
export async function startServer(name: ServerName, settings: object, logs: string): Promise<Server> {
  mkdirSync(logs, { recursive: true });
  const profile = process.env.CPU_PROFILE;
  const flags =
    profile === undefined
      ? []
      : ['--cpu-prof', '--cpu-prof-dir', profile, '--cpu-prof-name', `${name}-${Date.now()}.cpuprofile`];
  const program = join(import.meta.dirname, 'servers', `${name}.ts`);
  const [command, args] = onServerCore(process.execPath, [...flags, program, JSON.stringify(settings)]);
  const child = spawn(command, args, { stdio: ['ignore', openSync(join(logs, `${name}.log`), 'a'), 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const next = async <Answer>(): Promise<Answer> => {
    const gone = exited.then(([code]) => {
      throw new Error(`The server ${name} ended with ${code}; what it printed is above.`);
    });
    const [answer] = await Promise.race([once(child, 'message'), gone]);
    return answer as Answer;
  };
  const { port } = await next<{ port: number }>();
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid as number, // a child that was spawned has one
    request(message) {
      const answer = next<never>();
      child.send(message);
      return answer;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
