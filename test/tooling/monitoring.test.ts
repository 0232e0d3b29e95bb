import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anonymous } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const expressionsOf = {
  'docs/monitoring/alerts.yml': (text: string) =>
    [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression),
  'docs/monitoring/grafana.json': (text: string) =>
    (JSON.parse(text) as { panels: { targets: { expr: string }[] }[] }).panels.flatMap(({ targets }) =>
      targets.map(({ expr }) => expr),
    ),
};

/** The metrics of an expression, without what a histogram adds to its name. */
const namesIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:carnet|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  );

describe('docs/monitoring', () => {
  // A counter is shown from its first event on, and the state of the log from the first claim on; the table of metrics is held against the sources.
  const table = new Map(
    [...read('docs/operations.md').matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \|/gm)].map(
      ([, name = '', type = '']): [string, string] => [name, type],
    ),
  );

  for (const [file, expressions] of Object.entries(expressionsOf))
    it(`${file} names metrics that there are`, async () => {
      const shown = new Set(
        [...(await anonymous().get('/metrics')).text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name),
      );
      const names = expressions(read(file)).flatMap(namesIn);
      assert(names.length > 10);
      for (const name of names) {
        assert(table.has(name), `${name} is no metric of docs/operations.md`);
        if (table.get(name) === 'gauge' && !/^carnet_log_(?:stopped|unproven)$/.test(name))
          assert(shown.has(name), `/metrics does not show ${name}`);
      }
    });
});
