import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../../scripts/imports.ts';
import { paymentEventTypes } from '../../src/billing/payments/fact.ts';
import { ErrorCodes } from '../../src/errors/codes.ts';
import { metricsText } from '../../src/metrics/metrics.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');

/** The cells of the rows below a heading of the page, without the head of the table. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const rows =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? [];
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The metrics that the sources count, as `/metrics` spells it: a counter ends in `_total`. */
function metricsOfSources(): string[] {
  const texts = sourceFiles(root)
    .filter((file) => /^(?:src|temporal|activities)\//.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const made = /(?:metrics\.(counter|gauges?)|createObservable(Counter|Gauge))\(\s*'(\w+)'/g;
  const instruments = texts.flatMap((text) =>
    [...text.matchAll(made)].map(([, own = '', observed = '', name = '']) =>
      /counter/i.test(own + observed) ? `${name}_total` : name,
    ),
  );
  const histograms = texts.flatMap((text) => [...text.matchAll(/name: '(carnet_\w+)'/g)].map(([, name = '']) => name));
  const written = texts.flatMap((text) => [...text.matchAll(/^# TYPE (carnet_\w+)/gm)].map(([, name = '']) => name));
  return [...instruments, ...histograms, ...written].toSorted();
}

describe('docs/operations.md', () => {
  it('has every metric of the service, and no other', () => {
    const named = rowsBelow('Metrics').map(([name = '']) => name.replaceAll('`', ''));
    assert.deepEqual(named.toSorted(), metricsOfSources());
  });

  it('says of each metric that a process shows which type it has', async () => {
    const types = new Map(rowsBelow('Metrics').map(([name = '', type = '']) => [name.replaceAll('`', ''), type]));
    const shown = [...(await metricsText()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    assert(shown.length > 0);
    for (const [, name = '', type] of shown) assert.equal(types.get(name), type, name);
  });

  it('lists for the webhook of the payment provider every type of event that means something, and no other', () => {
    const [, listed = ''] = /EVENTS='([^']+)'/.exec(page) ?? [];
    assert.deepEqual(listed.split(/\s+/).toSorted(), paymentEventTypes.toSorted());
    assert(paymentEventTypes.length <= 20, 'Stripe lists events of at most twenty types at once');
  });

  it('has every error code with its status and title, in the order of the code', () => {
    const named = rowsBelow('Error codes').map(([status, code = '', title]) => [
      code.replaceAll('`', ''),
      status,
      title,
    ]);
    assert.deepEqual(
      named,
      Object.entries(ErrorCodes).map(([code, [status, title]]) => [code, String(status), title]),
    );
  });
});
