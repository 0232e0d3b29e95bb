import assert from 'node:assert/strict';
import { z } from 'zod';
import type { AnyRoute } from '../../src/http/route.ts';
import { routes } from '../../src/process/routes.ts';

const named = (chosen: (route: AnyRoute) => boolean): string[] =>
  routes
    .filter(chosen)
    .map(({ operation }) => operation)
    .toSorted();

describe('the routes', () => {
  it('that read by cursor, and no others, declare INVALID_CURSOR', () => {
    const byCursor = ({ query }: AnyRoute): boolean => query instanceof z.ZodObject && 'cursor' in query.shape;
    const declaring = ({ refusals }: AnyRoute): boolean => refusals?.includes('INVALID_CURSOR') === true;
    assert.notDeepEqual(named(byCursor), []);
    assert.deepEqual(named(declaring), named(byCursor));
  });
});
