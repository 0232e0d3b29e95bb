import { serve } from '../../threads/serve.ts';
import { UnreadableBody } from './errors.ts';
import type { Answer, Job } from './messages.ts';
import { makeScan } from './scan.ts';

const scan = makeScan();

/** A job is one body; what it throws is answered, since nothing of it stays in the thread. */
async function run(job: Job): Promise<Answer> {
  try {
    return { scanned: await scan(job) };
  } catch (error) {
    if (error instanceof UnreadableBody) return { unreadable: error.reason };
    return { failed: error instanceof Error ? error.message : 'unknown' };
  }
}

serve<Job, Answer>(run);
