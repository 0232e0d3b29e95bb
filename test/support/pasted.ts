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

/** A block of a page that somebody can run. */
export interface Block {
  /** The word behind the opening fence: `sh`, `ts`, … */
  language: string;
  /** The name in the comment above it, by which a test finds it; undefined where there is none. */
  mark: string | undefined;
  code: string;
  /** The `text` block right below it, which shows what it prints; undefined where there is none. */
  prints: string | undefined;
  /** The line of the opening fence, counted from 1. */
  line: number;
}

const FENCED = /^(?: *<!-- (?<mark>[^\n]+?) -->\n)?(?<indent> *)```(?<language>[^\n]*)\n(?<code>[^]*?)^ *```$/gm;
const PRINTS = /^\n\n? *```text\n([^]*?)^ *```$/m;
/** The kinds of blocks that nobody runs. */
const SHOWN = new Set(['text', 'json', 'mermaid']);

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Every block of a page in Markdown that somebody can run, in order. */
export function commandBlocks(text: string): Block[] {
  return [...text.matchAll(FENCED)].flatMap(({ 0: all, index, groups = {} }) => {
    const { mark, indent = '', language = '', code = '' } = groups;
    if (SHOWN.has(language)) return [];
    const outdented = (lines: string): string => lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const after = text.slice(index + all.length);
    const below = PRINTS.exec(after);
    return [
      {
        language,
        mark,
        code: outdented(code),
        prints: below?.index === 0 ? outdented(below[1] ?? '') : undefined,
        line: lineOf(text, index + all.indexOf('```')),
      },
    ];
  });
}

/** How a line begins that somebody would paste. */
const COMMAND = /^ *(?:\$ +)?(?:npm|npx|pip3?|python3?|go|mvn|java|curl|export) +\S/;

/** Lines of a page on which a block of `text` begins that shows commands, counted from 1; what a block above it prints is none. */
export function shownCommands(text: string): number[] {
  const blocks = [...text.matchAll(FENCED)];
  return blocks.flatMap(({ 0: all, index, groups = {} }, at) => {
    const before = blocks[at - 1];
    const printed =
      before !== undefined &&
      !SHOWN.has(before.groups?.['language'] ?? '') &&
      text.slice(before.index + before[0].length, index).trim() === '';
    if (groups['language'] !== 'text' || printed || !COMMAND.test(groups['code'] ?? '')) return [];
    return [lineOf(text, index + all.indexOf('```'))];
  });
}

/**
 * The blocks of a page under this mark, in order. None of a shell has a comment, which a zsh that people type into takes for
 * arguments. Name page and mark as they are: test/tooling/command-blocks.test.ts looks for the calls.
 */
export async function blocksOf(page: string, mark: string): Promise<Block[]> {
  const blocks = commandBlocks(await readFile(join(ROOT, page), 'utf8')).filter((block) => block.mark === mark);
  assert(blocks.length > 0, `${page} has no block below <!-- ${mark} -->`);
  for (const { language, code } of blocks) if (language === 'sh') assert.doesNotMatch(code, /(^|\s)#\s/, page);
  return blocks;
}

/** The one block of a page under this mark. */
export async function blockOf(page: string, mark: string): Promise<Block> {
  const [block, ...others] = await blocksOf(page, mark);
  assert(block !== undefined && others.length === 0, `${page} has one block below <!-- ${mark} -->`);
  return block;
}

type Pasted = Pick<Block, 'code'> & Partial<Block>;

interface Shell {
  /** Where the terminal is; the project folder unless set. */
  cwd?: string;
  /** Set beside DATA_DIR, which is that of the instance of the suite. */
  env?: Record<string, string>;
}

/** Between what two blocks print. */
const SEAM = '-- the next block --';

/** Pastes them into one shell, and compares what each prints with what the page shows below it. @returns the lines they printed. */
export async function paste(blocks: Pasted[], { cwd = ROOT, env = {} }: Shell = {}): Promise<string[]> {
  const script = blocks.map(({ code }) => `${code.trimEnd()}\necho '${SEAM}'\n`).join('');
  const { stdout, stderr } = await run('bash', ['-e', '-u', '-c', script], {
    cwd,
    env: { ...process.env, DATA_DIR: service().dataDir, ...env },
    timeout,
  });
  assert.doesNotMatch(stderr, /Error/, stdout + stderr);
  const printed = stdout.split(`${SEAM}\n`);
  for (const [at, { prints }] of blocks.entries()) if (prints !== undefined) assertPrinted(printed[at] ?? '', prints);
  return printed
    .map((part) => part.trimEnd())
    .join('\n')
    .trim()
    .split('\n');
}

/** Patterns of what differs from one run to the next, and what nobody sees. */
const CHANGING: [RegExp, string][] = [
  [/\r$/gm, ''],
  [/\b([a-z]{2,4}_)(?:[0-9A-HJKMNP-TV-Z]{26}(?:\.[\w-]+)?|…)/g, '$1…'],
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?/g, 'TIME'],
  [/\bhttp:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/\b127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\b[0-9a-f]{16}…/g, 'HASH'],
  [/\b([a-z]+-)(?:[0-9a-f]{8}|\d{2,10})\b/g, '$1N'],
  [/\b\d+(?:\.\d+)? (m?s)\b/g, 'N $1'],
  [/\bentry \d+ of \d+/g, 'entry N of N'],
];
const steady = (text: string): string =>
  CHANGING.reduce((sofar, [what, instead]) => sofar.replaceAll(what, instead), text.trim());

/** `…` on the page stands for any part of a line, and alone in its line for any number of lines. */
export function assertPrinted(printed: string, shown: string): void {
  const pattern = steady(shown)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/^…$\n?/gm, '(?:[^\\n]*\\n)*?')
    .replaceAll(/(?<!_)…/g, '[^\\n]*');
  if (!new RegExp(`^${pattern}\\n?$`).test(`${steady(printed)}\n`)) assert.equal(steady(printed), steady(shown));
}

/**
 * The wait of a reader takes a minute and a half: the times of the lineage are moved back by a minute, and its life is woken again.
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
