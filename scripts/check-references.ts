import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Checks that what comments and documents refer to exists: `(decision K26)` is a heading of docs/decisions.md, `(rule 13)` one of
 * docs/architecture.md, a link or `docs/page.md#heading` leads to a file and a heading of it, and documents name files by the paths
 * that they have. References to documents that the project does not hold are refused no matter what they name. Sections of public
 * standards (`RFC 9110 §12.5.1`) are not looked at.
 */
type Fault = { file: string; line: number; cited: string; name: string; why: string; instead: string };

const DECISIONS = 'docs/decisions.md';
const RULES = 'docs/architecture.md';

const folders = ['src', 'workflows', 'activities', 'temporal', 'test', 'bench', 'scripts', 'docs', '.ci'];
const checked = /\.(?:ts|mjs|sql|sh|yml|md)$|(?:^|\/)(?:Dockerfile|\.env\.example|\.ci\/run)$/;
/** These quote what they refuse. */
const quoting = new Set(['scripts/check-references.ts', 'test/tooling/check-references.test.ts']);

const ID = '[A-Z]\\d{1,3}';
const ids = new RegExp(`\\bdecisions?,?\\s+(${ID}(?:(?:,?\\s+and\\s+|,\\s*|\\s+to\\s+|-)${ID})*)`, 'gi');
const rules = /\brules?\s+(\d{1,2}(?:(?:,?\s+and\s+|,\s*|\s+to\s+|-)\d{1,2})*)\b/gi;
const bareId = new RegExp(`(?<![\\w$>])\\((${ID}(?:,\\s*${ID})*)\\)`, 'g');
const comment = /^\s*(?:\*|\/\*|\/\/|--|#)|\s(?:\/\/|--|\/\*)\s/;
const link = /\[[^\]]*\]\(([^)\s]+)\)/g;
/** A path of the project in a document; one with a placeholder (`<domain>`, `NNNN-…`) is a pattern and no path. */
const namedPath = /`((?:src|workflows|activities|temporal|test|bench|scripts|docs|\.ci)\/[\w./-]+)`/g;
const page = /\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g;

const SECTIONS = '§\\s?[\\d.]*\\d(?:\\s*(?:,|-|and|to)\\s*§\\s?[\\d.]*\\d)*';

/** Patterns that may not be cited at all. Of patterns that match at one place the first is reported. */
const refused: { name: string; pattern: RegExp; why: string; instead: string }[] = [
  {
    name: 'foreign document',
    pattern: new RegExp(`\\b(?:Market|Billing|Claims)\\s?(?:${SECTIONS}|§)`, 'g'),
    why: 'the project does not hold that document, so nobody can follow it',
    instead: 'write the sentence that it stands for, or leave it out where the comment says it already',
  },
  {
    name: 'numbered trap',
    pattern: /\btraps?\s+\d+(?:\s+and\s+\d+)*/gi,
    why: 'no document of the project numbers its traps',
    instead: `write what goes wrong; where it was decided, cite the id of the heading in ${DECISIONS}`,
  },
  {
    name: 'section of the decisions',
    pattern: /\bdecisions,?\s+§\s?[\d.]*/gi,
    why: `${DECISIONS} has ids and no numbered sections`,
    instead: 'write the reason, and cite the id of its heading: (decision K26)',
  },
  {
    name: 'architecture',
    pattern: /\barchitecture(?:\.md)?,?\s+rules?\b(?:\s+for\s+lives)?(?:\s+\d+)?|\(architecture[,)]/gi,
    why: 'rules are cited by their number alone, other parts of the page by their heading',
    instead: `write (rule 13), or ${RULES}#its-heading`,
  },
  {
    name: 'section of nothing',
    pattern: new RegExp(SECTIONS, 'g'),
    why: 'a section without the name of its document leads nowhere',
    instead: 'write the sentence that it stands for; of a public standard name it (RFC 9110 §12.5.1)',
  },
];
/** Before a section sign: a public standard, or another section of it. */
const ofStandard = /(?:\bRFC \d+|\bOpenID Connect [A-Z]\w+|\bW3C [\w ]+)[^.;()]{0,80}$/;

/** Every dangling or refused reference below `root`, in the order of files and lines. */
export function danglingReferences(root: string): { faults: Fault[]; files: number; references: number } {
  const files = textFiles(root).filter((file) => !quoting.has(file));
  const known = { ids: headingsOf(root, DECISIONS, idOf), rules: headingsOf(root, RULES, ruleOf) };
  let references = 0;
  const faults = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const isPage = file.endsWith('.md');
    const text = isPage ? source : withoutContinuations(source);
    const found = [
      ...refusedIn(text),
      ...idsIn(text, known.ids),
      ...rulesIn(text, known.rules),
      ...(isPage ? [...linksIn(root, file, text), ...pathsIn(root, text)] : bareIn(source)),
      ...pagesIn(root, text),
      ...(file === DECISIONS ? repeatedIn(text) : []),
    ];
    references += found.length;
    return found
      .flatMap(({ at, fault }) => (fault === null ? [] : [{ at, fault: { file, line: lineOf(text, at), ...fault } }]))
      .toSorted((one, other) => one.at - other.at)
      .map(({ fault }) => fault);
  });
  return { faults, files: files.length, references };
}

/** A reference that was found; `fault` null: it leads somewhere. */
type Judged = { at: number; fault: Omit<Fault, 'file' | 'line'> | null };

/** Every file below `root` whose text people read, sorted. */
export function textFiles(root: string): string[] {
  const below = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    );
  return (
    [...readdirSync(root), ...below]
      .filter((path) => checked.test(path) && !path.split('/').includes('node_modules'))
      // A landed migration never changes, and cites the decisions of its day.
      .filter((path) => !path.startsWith('src/database/migrations/'))
      .toSorted()
  );
}

/** A citation may go on in the next line of a comment; the mark there becomes blanks, so that places stay. */
const withoutContinuations = (text: string): string =>
  text.replace(/\n[ \t]*(?:\*|--|\/\/|#)(?=[ \t])/g, (mark) => `\n${' '.repeat(mark.length - 1)}`);

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const idOf = (heading: string): string | undefined => new RegExp(`^(${ID})\\s`).exec(heading)?.[1];
const ruleOf = (heading: string): string | undefined => /^Rule (\d+)\b/.exec(heading)?.[1];

/** The headings of a page, outside of its code. */
const headings = (text: string): string[] =>
  [...text.replace(/^```[^]*?^```/gm, '').matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) => heading.trim());

function headingsOf(root: string, file: string, read: (heading: string) => string | undefined): Set<string> {
  const path = join(root, file);
  const texts = existsSync(path) ? headings(readFileSync(path, 'utf8')) : [];
  return new Set(texts.map(read).filter((one) => one !== undefined));
}

function refusedIn(text: string): Judged[] {
  const taken: [number, number][] = [];
  return refused.flatMap(({ pattern, name, why, instead }) =>
    [...text.matchAll(pattern)].flatMap((match): Judged[] => {
      const [start, end] = [match.index, match.index + match[0].length];
      if (taken.some(([from, to]) => start < to && end > from)) return [];
      if (match[0].startsWith('§') && ofStandard.test(text.slice(Math.max(0, start - 120), start))) return [];
      taken.push([start, end]);
      return [{ at: start, fault: { cited: oneLine(match[0]), name, why, instead } }];
    }),
  );
}

/** The names in `K9, K11 to K13` or `2 and 13`, ranges spelled out. */
function named(list: string): string[] {
  const names = [...list.matchAll(/(\bto\s+|-)?([A-Z]?)(\d+)/gi)];
  return names.flatMap(([, through, letter = '', number = ''], index) => {
    const before = names[index - 1];
    if (through === undefined || before === undefined) return [`${letter}${number}`];
    const first = Number(before[3]) + 1;
    return Array.from({ length: Math.max(0, Number(number) - first + 1) }, (_, at) => `${letter}${first + at}`);
  });
}

const idsIn = (text: string, known: ReadonlySet<string>): Judged[] =>
  [...text.matchAll(ids)].flatMap((match) =>
    named(match[1] ?? '').map((id) =>
      judged(match.index, known.has(id), {
        cited: `decision ${id}`,
        name: 'dangling',
        why: `${DECISIONS} has no heading ${id}`,
        instead: `write the reason itself, or add a heading ### ${id} to ${DECISIONS}`,
      }),
    ),
  );

const rulesIn = (text: string, known: ReadonlySet<string>): Judged[] =>
  [...text.matchAll(rules)].flatMap((match) =>
    named(match[1] ?? '').map((rule) =>
      judged(match.index, known.has(rule), {
        cited: `rule ${rule}`,
        name: 'dangling',
        why: `${RULES} has no heading "Rule ${rule}"`,
        instead: `write the reason itself, or cite a rule of ${RULES}`,
      }),
    ),
  );

/** `(K26)` in a comment: a reader cannot know what is numbered so. */
const bareIn = (text: string): Judged[] =>
  text.split('\n').flatMap((line, index, lines) => {
    if (!comment.test(line)) return [];
    const start = lines.slice(0, index).reduce((sum, before) => sum + before.length + 1, 0);
    return [...line.matchAll(bareId)].map((match): Judged => ({
      at: start + match.index,
      fault: {
        cited: match[0],
        name: 'bare id',
        why: 'a number without a word in front does not say where it leads',
        instead: `write (decision ${match[1] ?? ''})`,
      },
    }));
  });

const pagesIn = (root: string, text: string): Judged[] =>
  [...text.matchAll(page)].map((match) => {
    const [path = '', anchor] = match[0].split('#');
    return judged(match.index, leads(join(root, path), anchor), broken(match[0], anchor));
  });

const linksIn = (root: string, file: string, text: string): Judged[] =>
  [...text.replace(/^```[^]*?^```/gm, (code) => code.replace(/[^\n]/g, ' ')).matchAll(link)]
    .filter((match) => !/^[a-z]+:/.test(match[1] ?? ''))
    .map((match) => {
      const [path = '', anchor] = (match[1] ?? '').split('#');
      const target = path === '' ? join(root, file) : resolve(root, dirname(file), path);
      const within = !relative(root, target).startsWith('..');
      return judged(match.index, within && leads(target, anchor), broken(match[1] ?? '', anchor));
    });

const pathsIn = (root: string, text: string): Judged[] =>
  [...text.matchAll(namedPath)].map((match) =>
    judged(match.index, existsSync(join(root, match[1] ?? '')), {
      cited: match[1] ?? '',
      name: 'dead path',
      why: 'there is no such file or folder',
      instead: 'name the file as it is called now',
    }),
  );

const broken = (cited: string, anchor: string | undefined): Omit<Fault, 'file' | 'line'> => ({
  cited,
  name: 'dead link',
  why: anchor === undefined ? 'there is no such file' : 'there is no such file, or no such heading in it',
  instead: 'name a file that exists, and a heading as the web spells it: small letters, hyphens for blanks',
});

const leads = (path: string, anchor: string | undefined): boolean =>
  existsSync(path) && (anchor === undefined || slugs(readFileSync(path, 'utf8')).has(anchor));

/** As GitHub spells the anchors of headings. */
export function slugs(text: string): Set<string> {
  const seen = new Map<string, number>();
  return new Set(
    headings(text).map((heading) => {
      const slug = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

function repeatedIn(text: string): Judged[] {
  const seen = new Set<string>();
  return [...text.matchAll(new RegExp(`^#{1,6} +(${ID})\\s`, 'gm'))].map((match) => {
    const id = match[1] ?? '';
    const first = !seen.has(id);
    seen.add(id);
    return judged(match.index, first, {
      cited: `heading ${id}`,
      name: 'repeated',
      why: 'an id names one decision, or a citation of it leads to two',
      instead: 'give the later one the next free number',
    });
  });
}

const judged = (at: number, holds: boolean, fault: Omit<Fault, 'file' | 'line'>): Judged => ({
  at,
  fault: holds ? null : fault,
});

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const describeFault = ({ file, line, cited, name, why, instead }: Fault): string =>
  `${file}:${line} cites ${cited} [${name}]\n  why: ${why}\n  instead: ${instead}`;

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? dirname(import.meta.dirname));
  const { faults, files, references } = danglingReferences(root);
  console.log(
    faults.length === 0
      ? `references: ${references} in ${files} files lead somewhere`
      : faults.map(describeFault).join('\n\n'),
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
}
