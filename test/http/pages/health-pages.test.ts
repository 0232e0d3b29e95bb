import assert from 'node:assert/strict';
import type { DatabasePool } from '../../../src/database/pool.ts';
import { noPreferences } from '../../../src/http/pages/page.ts';
import { healthPages } from '../../../src/http/pages/health-pages.ts';

describe('/readyz of a process whose database says nothing', () => {
  it('is 503 within seconds, and however often it is called, one connection waits for it', async () => {
    let looks = 0;
    const pool = {
      oneFirst() {
        looks += 1;
        return new Promise(() => {});
      },
    } as unknown as DatabasePool;
    const readyz = new Map(healthPages(pool, {})).get('/readyz');
    assert(readyz);
    const call = async () => (await readyz.page({ id: '', ...noPreferences })).status;
    assert.deepEqual(await Promise.all([call(), call()]), [503, 503]);
    assert.deepEqual([await call(), looks], [503, 1]);
  });
});
