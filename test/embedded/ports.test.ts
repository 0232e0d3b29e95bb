import assert from 'node:assert/strict';
import { freePort } from '../../src/embedded/ports.ts';

describe('a free port', () => {
  it('is chosen once, however many are requested before the first is listened on', async () => {
    const ports = new Set<number>();
    for (let count = 0; count < 50; count += 1)
      for (const port of await Promise.all(Array.from({ length: 20 }, () => freePort()))) ports.add(port);
    assert.equal(ports.size, 1_000);
  });
});
