import assert from 'node:assert/strict';
import { z } from 'zod';
import { folded } from '../../src/console/folded.ts';
import { schemaOf, type Typed } from '../../src/console/form.ts';
import { invalid } from '../../src/errors/carnet-error.ts';

const schema = schemaOf(
  z.object({ name: z.string(), runtime: z.string().optional(), limit: z.object({ calls: z.int() }).optional() }),
);
const isOpen = (entered?: Typed): boolean => {
  const { text } = folded('Further', schema, {
    only: ['runtime', 'limit'],
    options: {},
    values: { runtime: 'none' },
    entered,
  });
  assert.match(text, /name="runtime".*name="limit\.calls"/s);
  assert.doesNotMatch(text, /name="name"/);
  return text.startsWith('<details class="card" open>');
};

describe('Fields that are folded', () => {
  it('stay so where nothing was typed into them, and nothing is wrong with them', () => {
    const form = { name: 'typed elsewhere', runtime: 'none', 'limit.calls': ' ' };
    const refusal = invalid({ path: 'name', code: 'x', message: 'is taken' });
    for (const entered of [undefined, { form }, { act: 'put', form, refusal }]) assert(!isOpen(entered));
  });

  it('are open where somebody looks for what they typed, or for its fault', () => {
    assert(isOpen({ form: { runtime: 'python' } }));
    assert(isOpen({ form: { 'limit.calls': '5' } }));
    const refusal = invalid({ path: 'limit.calls', code: 'x', message: 'is missing' });
    assert(isOpen({ act: 'put', form: { name: 'x' }, refusal }));
  });
});
