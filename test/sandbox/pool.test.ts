import assert from 'node:assert/strict';
import { Pool } from '../../activities/sandbox/pool.ts';
import { javascript } from '../../activities/sandbox/programs.ts';
import type { Child } from '../../activities/sandbox/child.ts';
import type { Walls } from '../../activities/sandbox/walls.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive } from './support.ts';

const WALLS = async (): Promise<Walls> => ({ namespaces: false, ownUser: false, watched: true });
const LIMITS = { wallMs: 3_600_000, cpuMs: 3_600_000, memoryBytes: 64 * 1024 * 1024 };

describe('a pool of processes', function () {
  // A process starts in a tenth of a second, and in many where the machine is busy.
  this.timeout(240_000);
  let pool: Pool;
  afterEach(() => pool.close());

  const ran = async (sharer: string): Promise<Child> => {
    const child = await pool.take(sharer);
    assert.ok(child !== undefined);
    const { how } = await child.run({ script: 'const main = () => ({});', input: '{}' }, LIMITS);
    assert.equal(how, 'returned');
    pool.giveBack(child);
    return child;
  };

  it('gives a process to the same sharer again, and never to another', async () => {
    pool = new Pool(javascript(), WALLS);
    const first = await ran('op_author for op_1');
    const others = [await ran('op_author for op_2'), await ran('op_other for op_1')];
    assert.equal(await ran('op_author for op_1'), first);
    assert.equal(new Set([first, ...others]).size, 3);
  });

  it('keeps no more processes than it may, and ends those that were used the longest ago', async () => {
    const program = javascript();
    pool = new Pool(program, WALLS);
    const used: Child[] = [];
    for (let nth = 0; nth < program.maxReady + 2; nth += 1) used.push(await ran(`op_${nth}`));
    const kept = used.filter(({ isGone }) => !isGone);
    assert.deepEqual(kept, used.slice(-(program.maxReady - 1)));
    for (const { pid } of used.slice(0, 3)) await eventually('its end', () => pid !== undefined && !isAlive(pid));
  });

  it('gives another process where the one that waited has died', async () => {
    pool = new Pool({ ...javascript(), maxRuns: 1 }, WALLS);
    const first = await pool.take('op_1');
    assert.ok(first?.pid !== undefined);
    pool.giveBack(first);
    process.kill(first.pid, 'SIGKILL');
    await eventually('its end', () => first.isGone);
    assert.notEqual(await ran('op_1'), first);
  });
});
