import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { danglingReferences, slugs } from '../../scripts/check-references.ts';

const root = join(import.meta.dirname, '../..');
const script = join(root, 'scripts/check-references.ts');

/** Documents and comments in which every reference leads somewhere; a test adds to them. */
const sound: Record<string, string> = {
  'README.md':
    '# House\n\nRead [the rules](docs/architecture.md#rule-2-steps-may-run-twice), [below](#below), [more](https://example.com/#none).\n\n## Below\n',
  'docs/architecture.md':
    '# Architecture\n\n### Rule 2 Steps may run twice\n\n### Rule 13 Hot commands\n\nSee [K26](decisions.md#k26-held).\n',
  'docs/decisions.md':
    '# Decisions\n\n### K26 Held\n\nAs (decision K27) says.\n\n### K27 Released\n\n### K28 Gone\n\n```md\n### Z1 In code\n```\n',
  'src/held.ts': `/**
 * The price is promised before the work begins (decision K26), so that nobody works for nothing (decisions K26,
 * K27 and K28; rules 2 and 13). Who reads ranges reads them too (decisions K26 to K28). As RFC 9110 §12.5.1, RFC 8414
 * §3.1 and OpenID Connect Discovery §4 have it; RFC 9162, 2.1. See docs/architecture.md#rule-13-hot-commands.
 */
export const held = (K26: number): string => String(K26); // a name in code is no citation`,
  'src/held.sql': '-- Both are released (decisions\n-- K27, K28; rule 2).\nselect 1;\n',
};

/** Lays these files in an empty folder and answers what is wrong there, `<file>:<line> <cited> [<name>]` each. */
function faultsIn(changes: Record<string, string>): string[] {
  return inFolder(changes, (folder) =>
    danglingReferences(folder).faults.map(({ file, line, cited, name }) => `${file}:${line} ${cited} [${name}]`),
  );
}

function inFolder<T>(changes: Record<string, string>, look: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-references-'));
  try {
    for (const [path, text] of Object.entries({ ...sound, ...changes })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return look(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** [what is wrong, file, text, what is found] */
const planted: [string, string, string, string][] = [
  ['a decision without a heading', 'src/a.ts', '// Held (decision K45).', 'src/a.ts:1 decision K45 [dangling]'],
  ['the second of a list', 'src/a.ts', '// Held (decisions K26, K46).', 'src/a.ts:1 decision K46 [dangling]'],
  ['the end of a range', 'src/a.ts', '// Held (decisions K26-K29).', 'src/a.ts:1 decision K29 [dangling]'],
  [
    'a citation of two lines',
    'src/a.ts',
    '/**\n * Held (decisions\n * K47).\n */',
    'src/a.ts:2 decision K47 [dangling]',
  ],
  ['a heading in code', 'src/a.ts', '// Held (decision Z1).', 'src/a.ts:1 decision Z1 [dangling]'],
  ['a citation in SQL', 'src/a.sql', 'select 1;\n-- Held (decision K48).', 'src/a.sql:2 decision K48 [dangling]'],
  ['a citation in a shell script', '.ci/run', '# Held (decision K48).', '.ci/run:1 decision K48 [dangling]'],
  ['a citation in YAML', 'docker-compose.yml', '# Held (rule 7)', 'docker-compose.yml:1 rule 7 [dangling]'],
  [
    'a citation in a text',
    'src/a.ts',
    `export const told = 'LEASE_LOST (decision K49)';`,
    'src/a.ts:1 decision K49 [dangling]',
  ],
  ['a rule without a heading', 'src/a.ts', '// Hot (rule 14).', 'src/a.ts:1 rule 14 [dangling]'],
  ['the second of two rules', 'src/a.ts', '// Hot (rules 13 and 16).', 'src/a.ts:1 rule 16 [dangling]'],
  ['an id alone', 'src/a.ts', '// Held (K26).', 'src/a.ts:1 (K26) [bare id]'],
  ['a page that is not there', 'src/a.ts', '// See docs/none.md.', 'src/a.ts:1 docs/none.md [dead link]'],
  [
    'a heading that is not there',
    'src/a.ts',
    '// See docs/architecture.md#rule-99.',
    'src/a.ts:1 docs/architecture.md#rule-99 [dead link]',
  ],
  ['a link to no file', 'docs/a.md', '[x](none.md)', 'docs/a.md:1 none.md [dead link]'],
  ['a link to no heading', 'docs/a.md', '[x](decisions.md#k99)', 'docs/a.md:1 decisions.md#k99 [dead link]'],
  ['a link to no heading of its own', 'docs/a.md', '[x](#none)', 'docs/a.md:1 #none [dead link]'],
  ['a link out of the house', 'docs/a.md', '[x](../../etc/passwd)', 'docs/a.md:1 ../../etc/passwd [dead link]'],
  [
    'a path of no file',
    'docs/a.md',
    'See `src/gone.ts`, `src/held.ts` and `src/<domain>/x.ts`.',
    'docs/a.md:1 src/gone.ts [dead path]',
  ],
  ['Market §', 'src/a.ts', '// As Market §4.1 has it.', 'src/a.ts:1 Market §4.1 [foreign document]'],
  ['Billing §', 'src/a.sql', '-- As Billing § says.', 'src/a.sql:1 Billing § [foreign document]'],
  ['Claims§', 'src/a.ts', '// Claims§2.6 to §2.19', 'src/a.ts:1 Claims§2.6 to §2.19 [foreign document]'],
  ['a bare section', 'src/a.ts', '// As §3.8 has it.', 'src/a.ts:1 §3.8 [section of nothing]'],
  ['a numbered trap', 'src/a.ts', '// Read strictly (trap 24).', 'src/a.ts:1 trap 24 [numbered trap]'],
  [
    'a section of the decisions',
    'src/a.ts',
    '// Kept a day (decisions §1).',
    'src/a.ts:1 decisions §1 [section of the decisions]',
  ],
  [
    'an architecture rule',
    'src/a.ts',
    '// Hot (architecture rule 13).',
    'src/a.ts:1 architecture rule 13 [architecture]',
  ],
  [
    'a page of architecture without its place',
    'src/a.ts',
    '// Woken (architecture, "The idea").',
    'src/a.ts:1 (architecture, [architecture]',
  ],
];

describe('check-references', () => {
  it('has nothing to say of references that lead somewhere', () => {
    assert.deepEqual(faultsIn({}), []);
  });

  for (const [what, file, text, found] of planted)
    it(`finds ${what}`, () => assert.deepEqual(faultsIn({ [file]: text }), [found]));

  it('finds an id that two decisions have', () => {
    const repeated = `${sound['docs/decisions.md']}\n### K26 Held again\n`;
    assert.deepEqual(faultsIn({ 'docs/decisions.md': repeated }), ['docs/decisions.md:15 heading K26 [repeated]']);
  });

  it('finds what a removed heading leaves behind', () => {
    const without = sound['docs/decisions.md']?.replace('### K28 Gone', '') ?? '';
    assert.deepEqual(faultsIn({ 'docs/decisions.md': without }), [
      'src/held.sql:1 decision K28 [dangling]',
      'src/held.ts:2 decision K28 [dangling]',
      'src/held.ts:3 decision K28 [dangling]',
    ]);
  });

  it('says place, reason and what to do instead, and ends with 1; with 0 where all is well', () => {
    const run = (changes: Record<string, string>) =>
      inFolder(changes, (folder) => spawnSync(process.execPath, [script, folder], { encoding: 'utf8' }));
    const broken = run({ 'src/a.ts': '// Held (decision K45).' });
    assert.deepEqual(
      [broken.status, broken.stdout],
      [
        1,
        'src/a.ts:1 cites decision K45 [dangling]\n  why: docs/decisions.md has no heading K45\n' +
          '  instead: write the reason itself, or add a heading ### K45 to docs/decisions.md\n',
      ],
    );
    const sane = run({});
    assert.deepEqual([sane.status, sane.stdout.split(':')[0]], [0, 'references']);
  });
});

describe('slugs', () => {
  it('are those of GitHub', () => {
    const text = '# It’s `code`, a_b & more: 2!\n\n## Twice\n\n## Twice\n';
    assert.deepEqual([...slugs(text)], ['its-code-a_b--more-2', 'twice', 'twice-1']);
  });
});

describe('docs/decisions.md', () => {
  it('lists every heading in its contents, in order', () => {
    const text = readFileSync(join(root, 'docs/decisions.md'), 'utf8');
    const [, contents = '', body = ''] = /^## Contents$([^]*?)^(## [^]*)$/m.exec(text) ?? [];
    const listed = [...contents.matchAll(/\]\(#([^)]+)\)/g)].map(([, slug]) => slug);
    assert.deepEqual(listed, [...slugs(body)]);
  });
});
