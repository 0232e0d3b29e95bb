import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertPrinted, commandBlocks, ROOT, shownCommands } from '../support/pasted.ts';

/** The blocks that tests take from pages, `<page> <mark>`; a test that takes a block runs it. */
const taken = new Set(
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [
      ...readFileSync(join(ROOT, 'test', path), 'utf8').matchAll(/\bblocks?Of\(\s*'([^']+)',\s*'([^']+)'\s*\)/g),
    ])
    .map(([, page, mark]) => `${page} ${mark}`),
);

/** The blocks of a page that no test runs, `<page>:<line>` each with the reason. */
const notRun = (page: string, text: string): string[] => [
  ...shownCommands(text).map((line) => `${page}:${line} shows commands as text: make it a block that a test runs`),
  ...commandBlocks(text).flatMap(({ language, mark, line }) => {
    if (language === '')
      return [`${page}:${line} names no language: text, json and mermaid are shown, all else is run`];
    if (mark === undefined) return [`${page}:${line} has no mark: write <!-- name --> above it, and let a test run it`];
    return taken.has(`${page} ${mark}`) ? [] : [`${page}:${line} is run by no test: blocksOf('${page}', '${mark}')`];
  }),
];

const pages = ['', 'docs/'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`),
);

describe('Blocks of commands and programs', () => {
  it('are run by tests, in README, docs and every other page', () => {
    assert(pages.includes('README.md') && pages.includes('docs/billing.md'));
    assert.deepEqual(
      pages.flatMap((page) => notRun(page, readFileSync(join(ROOT, page), 'utf8'))),
      [],
    );
  });

  it('are found where no test runs them', () => {
    const planted = [
      'Text.\n\n```sh\nls\n```\n',
      'Text.\n\n<!-- nobody runs it -->\n```ts\nexport {};\n```\n',
      '1. A step.\n\n   ```sh\n   ls\n   ```\n',
      '```text\nshown\n```\n\n```\nwhat is it?\n```\n',
      '<!-- tour -->\n```sh\nls\n```\n',
      ...[
        'npm ci',
        'npx x',
        'pip install x',
        'python3 x.py',
        'go get x',
        'mvn x',
        'java -jar x',
        'curl x',
        'export A=1',
      ].map((command) => `Text.\n\n\`\`\`text\n${command}\n\`\`\`\n`),
      'Text.\n\n1. A step.\n\n   ```text\n   $ npm ci\n   ```\n',
      'Text.\n\n```text\ngoes on\nnpmrc\njavascript\n```\n',
      '<!-- tour -->\n```sh\nls\n```\n\n```text\nnpm prints this\n```\n',
    ];
    assert.deepEqual(
      planted.map((text) => notRun('README.md', text).map((fault) => fault.split(':').slice(0, 2).join(':'))),
      [
        ['README.md:3 has no mark'],
        ['README.md:4 is run by no test'],
        ['README.md:3 has no mark'],
        ['README.md:5 names no language'],
        [],
        ...Array.from({ length: 9 }, () => ['README.md:3 shows commands as text']),
        ['README.md:5 shows commands as text'],
        [],
        [],
      ],
    );
  });

  it('are read with their mark and what they print', () => {
    const page =
      '<!-- a -->\n```sh\nls\n```\n```text\none\n```\n\n   <!-- b -->\n   ```sh\n   ls\n     -l\n   ```\n\nText.\n\n```text\nno\n```\n';
    assert.deepEqual(commandBlocks(page), [
      { language: 'sh', mark: 'a', code: 'ls\n', prints: 'one\n', line: 2 },
      { language: 'sh', mark: 'b', code: 'ls\n  -l\n', prints: undefined, line: 10 },
    ]);
  });

  it('find the keys where `.env` has DATA_DIR, as `npm start` does, and by the same line on every page', () => {
    const lines = new Set(
      pages.flatMap((page) => readFileSync(join(ROOT, page), 'utf8').match(/^key\(\) .*$/gm) ?? []),
    );
    assert.equal(lines.size, 1);
    const folder = mkdtempSync(join(tmpdir(), 'carnet-key-'));
    try {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      for (const [name, key] of [
        ['.carnet', 'standard'],
        ['other', 'of .env'],
      ] as const) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'credentials.json'), JSON.stringify({ api_key: key }));
      }
      const { DATA_DIR: _unset, ...env } = process.env;
      const keyOf = (more: Record<string, string> = {}) =>
        execFileSync('bash', ['-euc', `${[...lines].join('\n')}\nkey api_key`], {
          cwd: folder,
          env: { ...env, ...more },
          encoding: 'utf8',
        }).trim();
      assert.equal(keyOf(), 'standard');
      writeFileSync(join(folder, '.env'), 'DATA_DIR=./other\n');
      assert.equal(keyOf(), 'of .env');
      assert.equal(keyOf({ DATA_DIR: '.carnet' }), 'standard');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('The output of a block', () => {
  const same: [string, string][] = [
    ['skl_01M8369W9X58NTETMZ1AWBNVWP 25', 'skl_… 25'],
    ['at 2026-11-23T03:13:08.202Z', 'at 2027-01-01T00:00:00.000Z'],
    ['one\ntwo\nthree', '…\nthree'],
    ['one\ntwo\nthree', 'one\n…'],
    ['one\ntwo\nthree', 'one\n…\nthree'],
    ['{"id":"inv_01M8369W9X58NTETMZ1AWBNVWP","a":1,"b":2}', '{"id":"inv_…",…"b":2}'],
  ];
  for (const [printed, shown] of same)
    it(`${JSON.stringify(printed)} is what the page shows as ${JSON.stringify(shown)}`, () =>
      assertPrinted(printed, shown));

  const different: [string, string][] = [
    ['skl_01M8369W9X58NTETMZ1AWBNVWP 24', 'skl_… 25'],
    ['inv_01M8369W9X58NTETMZ1AWBNVWP', 'skl_01M8369W9X58NTETMZ1AWBNVWP'],
    ['one\ntwo', 'one'],
    ['one\ntwo\nthree', '…\ntwo'],
    ['one\ntwo', 'one\n…\nthree'],
    ['', 'one'],
    ['{"a":1,\n"b":2}', '{…}'],
    ['a.c', 'abc'],
  ];
  for (const [printed, shown] of different)
    it(`${JSON.stringify(printed)} is not ${JSON.stringify(shown)}`, () =>
      assert.throws(() => assertPrinted(printed, shown), assert.AssertionError));
});
