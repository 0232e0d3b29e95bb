import { parentPort } from 'node:worker_threads';

/**
 * A worker sends this: an answer, and the processor time that its thread has used since it began, in microseconds. The first message
 * holds no answer: the worker is ready.
 */
export type Answered<Answer> = { answer: Answer; cpu: number } | { cpu: number };

/** In a worker: does each job in its order, and answers it. What `run` throws ends the thread. */
export function serve<Job, Answer>(run: (job: Job) => Answer | Promise<Answer>): void {
  let last: Promise<void> = Promise.resolve();
  parentPort?.on('message', (job: Job) => {
    // No catch: an unhandled rejection ends the thread, and the caller that waits for the answer is informed by that.
    last = last.then(async () => send({ answer: await run(job), cpu: cpuOfThread() }));
  });
  send({ cpu: cpuOfThread() });
}

const send = <Answer>(message: Answered<Answer>): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; the rule means windows
  parentPort?.postMessage(message);
};

function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
