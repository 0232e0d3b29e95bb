import { serve } from '../../threads/serve.ts';
import { UnreadableBody } from '../reading/errors.ts';
import type { Answer, Job } from './messages.ts';
import { makeBodyScanner } from './scan.ts';

const scanner = makeBodyScanner();

async function answer(job: Job): Promise<Answer> {
  if (job.wanted === 'verdict') return { verdict: await scanner.scan(job.input) };
  if (job.wanted === 'payload') return { payload: await scanner.read(job.input) };
  if (job.wanted === 'passages') return { passages: await scanner.passages(job.input, job.findings) };
  return { excerpt: await scanner.excerpt(job.input, job.findings) };
}

/** A job is one body; what it throws is answered, since nothing of it stays in the thread. */
async function run(job: Job): Promise<Answer> {
  try {
    return await answer(job);
  } catch (error) {
    if (error instanceof UnreadableBody) return { unreadable: error.reason };
    return { failed: error instanceof Error ? error.message : 'unknown' };
  }
}

serve<Job, Answer>(run);
