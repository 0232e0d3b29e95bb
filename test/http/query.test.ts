import assert from 'node:assert/strict';
import { parseQuery } from '../../src/http/query.ts';

describe('query strings and forms', () => {
  it('make a list of what is named several times, in its order', () => {
    const parsed = parseQuery('a=1&b=2&a=3&a=4&a');
    assert.deepEqual({ ...parsed }, { a: ['1', '3', '4', ''], b: '2' });
  });

  it('are read in time that grows with their length alone', () => {
    const start = process.threadCpuUsage();
    const { a } = parseQuery('a&'.repeat(30_000));
    const { user, system } = process.threadCpuUsage(start);
    assert.equal(a?.length, 30_000);
    assert((user + system) / 1_000 < 1_000, `it took ${(user + system) / 1_000} ms of CPU time`);
  });
});
