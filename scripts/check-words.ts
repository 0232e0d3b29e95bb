import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync, Visitor, type Argument, type Expression } from 'oxc-parser';
import { textFiles } from './check-references.ts';

/**
 * Refuses words that readers of plain English stumble over, and openings that keep them waiting for the subject, in comments, pages and
 * titles of tests. Code is not checked, nor are strings, nor is text in backticks. Migrations are frozen.
 */
type Fault = { file: string; line: number; words: string; instead: string };

/** A name such as `begin-anew.ts` is no word. */
const word = (spelled: string): RegExp => new RegExp(`(?<![\\w/-])${spelled}(?![\\w/-]|\\.\\w)`, 'gi');

/** The marks before the first word of a line: of a comment, a heading, a list, a cell of a table, a quotation. */
const opening = (spelled: string): RegExp =>
  new RegExp(`(?<=(?:^|\\n)[ \\t]*(?:(?:/?\\*+|//|--|#+|[-|>]|\\d+\\.)[ \\t]+)*(?:\\*\\*)?)${spelled}\\b`, 'g');

const rules: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: opening('Of'), instead: 'begin with the subject: "An operator has 50", not "Of an operator 50"' },
  {
    pattern: opening('What (?:is|are|was|were|does|has|have|needs|takes|an?|the|it)'),
    instead: 'begin with a noun: "The answer", not "What it answers"',
  },
  { pattern: opening('Whose'), instead: 'begin with the subject' },
  { pattern: word('whoever'), instead: 'name them: the caller, the recipient, a person who …, a client that …' },
  { pattern: word('whatever'), instead: 'say "any", "each", "regardless of" or "no matter which"' },
  { pattern: word('anew'), instead: 'say "again" or "from the beginning"' },
  { pattern: word('what\\s+became\\s+of'), instead: 'say "the outcome of"' },
  { pattern: word('at\\s+once'), instead: 'say "immediately", "now", "together" or "in parallel", as is meant' },
  { pattern: word('lest'), instead: 'say "so that … not"' },
  { pattern: word('thereof'), instead: 'say "of it"' },
  { pattern: word('wherein'), instead: 'say "in which"' },
  { pattern: word('hence'), instead: 'say "so", or "from now" about a time' },
];

/** Every refused word below `root`, in the order of files and lines. */
export function refusedWords(root: string): { faults: Fault[]; files: number } {
  const files = textFiles(root);
  const faults = files.flatMap((file) =>
    proseOf(file, readFileSync(join(root, file), 'utf8'))
      .flatMap(({ line, text }) =>
        rules.flatMap(({ pattern, instead }) =>
          [...text.matchAll(pattern)].map((match) => ({
            file,
            line: line + text.slice(0, match.index).split('\n').length - 1,
            words: match[0].replace(/\s+/g, ' '),
            instead,
          })),
        ),
      )
      .toSorted((one, other) => one.line - other.line),
  );
  return { faults, files: files.length };
}

/** Text that a person reads, with the line that it begins in. A new line in it stands for one of the file. */
type Prose = { line: number; text: string };

function proseOf(file: string, source: string): Prose[] {
  const found = /\.(?:ts|mjs)$/.test(file)
    ? proseOfCode(file, source)
    : [{ line: 1, text: file.endsWith('.md') ? withoutFences(source) : commentLines(file, source) }];
  return found.map(({ line, text }) => ({ line, text: joined(withoutQuotations(text)) }));
}

const withoutFences = (page: string): string =>
  page.replace(/^[ \t]*```[^]*?^[ \t]*```/gm, (code) => code.replace(/[^\n]/g, ' '));

const withoutQuotations = (text: string): string =>
  text.replace(/(`+)[^`]+?\1/g, (quoted) => quoted.replace(/[^\n]/g, '`'));

/** Without the mark of a comment before its next line: words that are refused may be parted by it. */
const joined = (text: string): string => text.replace(/\n[ \t]*(?:\*(?!\*)|\/\/|--|#(?!#))(?=[ \t])/g, '\n');

/** All but comments becomes empty, so that lines stay. */
function commentLines(file: string, source: string): string {
  const comment = file.endsWith('.sql') ? /(?:^|\s)(--\s.*)$/ : /(?:^|\s)(#\s.*)$/;
  return source
    .split('\n')
    .map((line) => comment.exec(line)?.[1] ?? '')
    .join('\n');
}

/** The comments of a program, and the titles of its tests. */
function proseOfCode(file: string, source: string): Prose[] {
  const { program, comments, errors } = parseSync(file, source);
  if (errors[0]) throw new SyntaxError(`${file} does not parse: ${errors[0].message}`);
  const found: { start: number; end: number }[] = [];
  for (const { start, end } of comments) {
    const before = found.at(-1);
    // Lines of `//` below each other are one text.
    if (before !== undefined && /^\n[ \t]*$/.test(source.slice(before.end, start))) before.end = end;
    else found.push({ start, end });
  }
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (/^(?:describe|it)$/.test(nameOf(callee)) && title !== undefined) found.push(...textsOf(title));
    },
  }).visit(program);
  return found.map(({ start, end }) => ({
    line: source.slice(0, start).split('\n').length,
    text: source.slice(start, end),
  }));
}

/** `it` of `it`, `it.only` and `it.skip`. */
const nameOf = (callee: Expression): string =>
  callee.type === 'MemberExpression' ? nameOf(callee.object) : callee.type === 'Identifier' ? callee.name : '';

/** The words of a title as they stand between its quotes. */
function textsOf(title: Argument): { start: number; end: number }[] {
  if (title.type === 'Literal') return [{ start: title.start + 1, end: title.end - 1 }];
  return title.type === 'TemplateLiteral' ? title.quasis : [];
}

const describeFault = ({ file, line, words, instead }: Fault): string =>
  `${file}:${line} says "${words}"\n  instead: ${instead}`;

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? dirname(import.meta.dirname));
  const { faults, files } = refusedWords(root);
  console.log(faults.length === 0 ? `words: ${files} files say it plainly` : faults.map(describeFault).join('\n\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
