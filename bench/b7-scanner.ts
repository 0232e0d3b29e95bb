import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ScanInput } from '../src/inbound/reading/body.ts';
import { createScanner } from '../src/inbound/scanner/index.ts';
import { makeBodyScanner } from '../src/inbound/scanner/scan.ts';
import { figuresOf } from '../test/inbound/scanner/corpus/figures.ts';
import { shapes } from '../test/inbound/scanner/corpus/lengths.ts';
import { triggerWords } from '../test/inbound/scanner/corpus/trigger-words.ts';
import type { Bench } from './bench.ts';
import { foreignTexts, packageOf, type ForeignText } from './foreign-texts.ts';
import type { Lab } from './lab.ts';

/** The wheel of AgentDojo (MIT): 192 KB with its environments, the goals of its attackers and the texts of its attacks. */
const AGENTDOJO = 'agentdojo==0.1.35 --hash=sha256:364bea4219716b716bf639f504d195943f7f6a5535d312ca41d7098704a2affd';

export const b7Scanner: Bench = {
  title: 'B7: scanning messages',
  run: async (lab) => [
    await corpusTable(),
    await agentDojoTable(lab),
    await foreignTable(lab),
    await speedTable(lab),
    await lengthLine(lab),
  ],
};

const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)} %`;

const textOf = (text: string): ScanInput => ({
  provider: 'generic',
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify({ text })),
});

async function heldOf(texts: readonly string[]): Promise<number> {
  const { scan } = makeBodyScanner();
  let held = 0;
  for (const text of texts) held += (await scan(textOf(text))).verdict === 'malicious' ? 1 : 0;
  return held;
}

async function corpusTable(): Promise<string> {
  const rows: string[] = [];
  for (const half of ['develop', 'measure'] as const) {
    const { hostile, harmless, caught, falselyHeld, twins, twinsHeld, precision, recall } = await figuresOf(half);
    const goal = half === 'measure' ? '0.97 and 0.90' : '';
    rows.push(
      `| ${half} | ${caught} of ${hostile} | ${falselyHeld} of ${harmless} | ${precision.toFixed(3)} | ${recall.toFixed(3)} | ${goal} |`,
    );
    if (twins > 0)
      rows.push(`| beside these, twins of attacks and words of attacks | | ${twinsHeld} of ${twins} | | | |`);
  }
  const trigger = triggerWords();
  const held = await heldOf(trigger);
  rows.push(`| sentences with words of attacks | | ${held} of ${trigger.length} | | | |`);
  return `| own corpus | caught | falsely held | precision | recall | goal |\n|---|---:|---:|---:|---:|---:|\n${rows.join('\n')}`;
}

/** Each goal of an attacker, in each text of the environment that an attacker could write to, in the words of each attack. */
async function agentDojoTable(lab: Lab): Promise<string> {
  const root = join(packageOf(lab, AGENTDOJO), 'agentdojo');
  const rows: string[] = [];
  const harmless: string[] = [];
  const attacked: { context: string; goal: string }[] = [];
  for (const suite of ['banking', 'slack', 'travel', 'workspace']) {
    const goals = goalsOf(readFileSync(join(root, 'default_suites', 'v1', suite, 'injection_tasks.py'), 'utf8'));
    const { contexts, others } = textsOf(join(root, 'data', 'suites', suite));
    harmless.push(...others);
    for (const goal of goals) for (const context of contexts) attacked.push({ context, goal });
  }
  for (const [attack, words] of Object.entries(attacksOf(root))) {
    const texts = attacked.map(({ context, goal }) =>
      context.replaceAll(PLACEHOLDER, () => words.replaceAll('{goal}', () => goal)),
    );
    const held = await heldOf(texts);
    rows.push(`| ${attack} | ${held} of ${texts.length} | ${percent(held, texts.length)} |`);
  }
  const held = await heldOf(harmless);
  rows.push(
    `| none: texts of the environments as they are | ${held} of ${harmless.length} | ${percent(held, harmless.length)} |`,
  );
  return `| AgentDojo 0.1.35, attacks inside of tool output | held | |\n|---|---:|---:|\n${rows.join('\n')}`;
}

/** The first half of each family was at hand when rules were changed; of the second only the numbers were seen. */
async function foreignTable(lab: Lab): Promise<string> {
  const rows: string[] = [];
  const families = Map.groupBy(foreignTexts(lab), ({ family }) => family);
  for (const [family, texts] of families) {
    const cells: string[] = [];
    for (const half of [1, 2] as const) {
      const ofHalf = texts.filter((text) => text.half === half);
      const held = await heldOf(ofHalf.map(({ text }: ForeignText) => text));
      cells.push(`${held} of ${ofHalf.length}`, ofHalf.length === 0 ? '' : percent(held, ofHalf.length));
    }
    rows.push(`| ${family} | ${cells.join(' | ')} |`);
  }
  return `| texts of others | first half held | | second half held | |\n|---|---:|---:|---:|---:|\n${rows.join('\n')}`;
}

const PLACEHOLDER = /\{[a-z_]*injection[a-z0-9_]*\}/g;

/** The texts of the attacks, each taken from the file that defines it; a tool's ground truth needs the package itself, so that one is left out. */
function attacksOf(root: string): Record<string, string> {
  const baseline = readFileSync(join(root, 'attacks', 'baseline_attacks.py'), 'utf8');
  const important = readFileSync(join(root, 'attacks', 'important_instructions_attacks.py'), 'utf8');
  const attacks: Record<string, string> = {};
  for (const ofClass of baseline.split('@register_attack')) {
    const [, name = ''] = /name = "([a-z_]+)"/.exec(ofClass) ?? [];
    const [, body = ''] = /super\(\)\.__init__\(\s*"([^"]*\{goal\}[^"]*)"/.exec(ofClass) ?? [];
    if (body !== '') attacks[name] = body;
  }
  const lines = /_JB_STRING = \(([\s\S]*?)\n {4}\)/.exec(important)?.[1] ?? '';
  const text = Array.from(lines.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, part = '']) => part)
    .join('')
    .replaceAll(String.raw`\n`, '\n');
  for (const [name, user, model] of [
    ['important_instructions', 'Emma Johnson', 'GPT-4'],
    ['important_instructions_no_names', 'the user', 'AI assistant'],
  ] as const)
    attacks[name] = text.replaceAll('{user}', user).replaceAll('{model}', model);
  return attacks;
}

/** Goals as they are spelled, with the constants of their file in them. */
function goalsOf(source: string): string[] {
  const constants = new Map(
    Array.from(source.matchAll(/^ *(_?[A-Z_]+) = f?"([^"\n]*)"$/gm), ([, name = '', value = '']) => [name, value]),
  );
  return Array.from(source.matchAll(/^ {4}GOAL = \(?\s*f?"{1,3}([^"]+)"{1,3}/gm), ([, goal = '']) =>
    goal.replaceAll(/\{([A-Za-z_.]+)\}/g, (_, name: string) => constants.get(name.split('.').at(-1) ?? '') ?? name),
  );
}

/** Texts of an environment: those that hold a place for an attack, and the others that are longer than a name. */
function textsOf(folder: string): { contexts: string[]; others: string[] } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?:environment|include.*)\.yaml$/.test(file),
  );
  const contexts: string[] = [];
  const others: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.search(PLACEHOLDER) >= 0) contexts.push(value);
      else if (value.length >= 40) others.push(value);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const file of files) collect(parse(readFileSync(join(folder, file), 'utf8'), { logLevel: 'silent' }));
  return { contexts: [...new Set(contexts)], others: [...new Set(others)] };
}

const sizes = { '10 KB': 10_240, '1 MiB': 1_048_576, '10 MiB': 10_485_760 } as const;

/** In this thread, as in a worker's; and through the pool, with the way there and back. */
async function speedTable(lab: Lab): Promise<string> {
  const { scan } = makeBodyScanner();
  const scanner = createScanner();
  const rows: string[] = [];
  for (const [name, bytes] of Object.entries(sizes)) {
    const input = shapes['prose']?.(bytes) as ScanInput;
    const rounds = lab.quick ? 3 : Math.max(5, Math.min(2_000, Math.round(20_000_000 / bytes)));
    const alone = await timesOf(rounds, () => scan(input));
    const pooled = await timesOf(rounds, () => scanner.scan(input, 'op_bench'));
    const rate = (bytes / 1e6 / (at(alone, 0.5) / 1_000)).toFixed(1);
    const goal = bytes < 100_000 ? '1 ms' : '20 MB/s';
    rows.push(
      `| ${name} | ${ms(at(alone, 0.5))} | ${ms(at(alone, 0.99))} | ${rate} | ${ms(at(pooled, 0.5))} | ${goal} |`,
    );
  }
  await scanner.close();
  return `| prose | p50 in the thread | p99 | MB/s | p50 through the pool | goal |\n|---|---:|---:|---:|---:|---:|\n${rows.join('\n')}`;
}

/** A scan that grows faster than its length would take more than four times as long at four times the length. */
async function lengthLine(lab: Lab): Promise<string> {
  const { scan } = makeBodyScanner();
  const measured: { name: string; growth: number; megabytes: number }[] = [];
  const unit = lab.quick ? 65_536 : 500_000;
  for (const [name, make] of Object.entries(shapes)) {
    const [short, long] = [make(unit), make(unit * 4)];
    const rounds = lab.quick ? 1 : 5;
    await scan(short);
    const [one, four] = [
      at(await timesOf(rounds, () => scan(short)), 0),
      at(await timesOf(rounds, () => scan(long)), 0),
    ];
    measured.push({ name, growth: four / one, megabytes: long.body.byteLength / 1e3 / four });
    lab.log(`${name}: ${ms(one)}, ${ms(four)} for four times the length`);
  }
  const [slowest] = measured.toSorted((one, other) => one.megabytes - other.megabytes);
  const [steepest] = measured.toSorted((one, other) => other.growth - one.growth);
  return (
    `Of ${measured.length} shapes of text the slowest (${slowest?.name}) is scanned at ${slowest?.megabytes.toFixed(1)} MB/s; ` +
    `four times ${unit / 1_000} KB take at most ${steepest?.growth.toFixed(1)} times as long (${steepest?.name}).`
  );
}

async function timesOf(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((one, other) => one - other);
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

const ms = (time: number): string => `${time < 10 ? time.toFixed(2) : time.toFixed(0)} ms`;
