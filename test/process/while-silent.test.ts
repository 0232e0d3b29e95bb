import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { whileSilent } from '../../src/process/while-silent.ts';

describe('whileSilent', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'Date'] }));
  afterEach(() => mock.timers.reset());

  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) mock.timers.tick(1_000);
  };

  it('says every ten seconds that it goes on, until the end', () => {
    const said: number[] = [];
    const silence = whileSilent((seconds) => void said.push(seconds));
    pass(9);
    assert.deepEqual(said, []);
    pass(11);
    assert.deepEqual(said, [10, 20]);
    silence.end();
    pass(60);
    assert.deepEqual(said, [10, 20]);
  });

  it('counts the ten seconds from the last line', () => {
    const said: number[] = [];
    const silence = whileSilent((seconds) => void said.push(seconds));
    pass(6);
    silence.printed();
    pass(9);
    assert.deepEqual(said, []);
    pass(1);
    assert.deepEqual(said, [16]);
    silence.end();
  });
});
