import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { eventually } from './eventually.ts';
import { database, service } from './service.ts';

const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, '..', '..');
/** A story has many calls, and some of them wait for a life: a busy machine needs its time. */
export const PATIENCE_MS = 600_000;
/** A program that still runs then is ended, which would else outlive its case. */
const timeout = PATIENCE_MS - 30_000;

/** The blocks of a page under this mark, in order. None has a comment, which a zsh that people type into takes for arguments. */
export async function blocksOf(page: string, mark: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`sh\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block]) => block ?? '',
  );
  for (const block of blocks) assert.doesNotMatch(block, /(^|\s)#\s/, page);
  return blocks;
}

/** Pastes them into one shell. @returns the lines it printed. */
export async function paste(blocks: string[]): Promise<string[]> {
  const { stdout, stderr } = await run(
    'bash',
    ['-e', '-u', '-c', `DATA_DIR=${service().dataDir}\n${blocks.join('\n')}`],
    { cwd: ROOT, timeout },
  );
  assert.doesNotMatch(stderr, /Error/, stdout + stderr);
  return stdout.trim().split('\n');
}

/**
 * What a reader waits for takes a minute and a half: the times of the lineage are moved back by a minute, and its life is woken again.
 */
export async function letTheCheckpointBeMissed(agentName: string): Promise<void> {
  const pool = await database();
  const Row = z.object({ session_id: z.string() });
  await eventually(
    `the passport of ${agentName}`,
    async () => {
      const moved = await pool.maybeOne(sql.type(Row)`
      update passport_lineages l set next_checkpoint_due_at = next_checkpoint_due_at - interval '100 seconds'
      from agents a where a.id = l.agent_id and a.name = ${agentName} and l.next_checkpoint_due_at > now() returning l.session_id`);
      if (moved === null) return false;
      await pool.query(sql.type(z.object({}))`select wake_life(${`session:${moved.session_id}`})`);
      return true;
    },
    { seconds: PATIENCE_MS / 1_000 },
  );
}
