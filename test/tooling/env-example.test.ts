import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readSettings } from '../../src/context/config.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const source = read('src/context/config.ts');
const schema = /^const Environment = z\.object\(\{$([^]*?)^\}\);$/m.exec(source)?.[1] ?? '';
/** The names of the schema, in its order. */
const names = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name = '']) => name);
const defaults = new Map(
  Object.entries(readSettings({})).map(([name, value]) => [name, String(value as string | number | boolean)]),
);

const lines = read('.env.example').split('\n');
/** `[commented out, name, value]` of every setting in the file. */
const settings = lines.flatMap((line) => {
  const [, mark, name = '', value = ''] = /^(#?)([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
  return name === '' ? [] : [{ set: mark === '', name, value }];
});

describe('.env.example', () => {
  it('has every setting of the service, and no other', () => {
    assert(names.length > 30);
    assert.deepEqual(settings.map(({ name }) => name).toSorted(), names.toSorted());
  });

  it('shows the default of each, and comments out what has none', () => {
    for (const { set, name, value } of settings) {
      assert.equal(set, defaults.has(name), `${name} is ${set ? '' : 'not '}set`);
      assert.equal(value, defaults.get(name) ?? '', name);
    }
  });

  it('is taken by the service as it is', () => {
    const environment = Object.fromEntries(settings.flatMap(({ set, name, value }) => (set ? [[name, value]] : [])));
    assert.deepEqual(readSettings(environment), readSettings({}));
  });

  it('has a comment on the line above each', () => {
    for (const { name } of settings) {
      const at = lines.findIndex((line) => line.startsWith(`${name}=`) || line.startsWith(`#${name}=`));
      assert.match(lines[at - 1] ?? '', /^# \S/, name);
    }
  });
});

describe('The table of settings in docs/operations.md', () => {
  it('has every setting of the service, and no other', () => {
    const section = /^## Settings$([^]*?)(?=^## |(?![^]))/m.exec(read('docs/operations.md'))?.[1] ?? '';
    const cells = [...section.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = '']) => cell);
    // `STRIPE_PRICE_DEVELOPER`, `_PRO` stands for both with the beginning of the first.
    const named = cells.flatMap((cell) => {
      const [first = '', ...others] = [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name);
      return [first, ...others.map((rest) => (rest.startsWith('_') ? stem(first) + rest : rest))];
    });
    assert.deepEqual(named.toSorted(), names.toSorted());
  });
});

const stem = (name: string): string => name.slice(0, name.lastIndexOf('_'));
