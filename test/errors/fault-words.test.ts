import assert from 'node:assert/strict';
import { z } from 'zod';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { parseOrRefuse } from '../../src/errors/faults.ts';

const Body = z.strictObject({
  name: z.string().min(2).max(3).optional(),
  ttl_seconds: z.number().min(60).max(3_600).optional(),
  depth: z.int().optional(),
  share: z.number().gt(0).lt(1).optional(),
  scopes: z
    .array(z.strictObject({ scopes: z.string() }))
    .min(1)
    .max(2)
    .optional(),
  mode: z.enum(['logged', 'enforced']).optional(),
  version: z.literal(1).optional(),
  confirm: z.boolean().optional(),
  value: z.union([z.string(), z.number()]).optional(),
  owner: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('operator') }),
      z.strictObject({ kind: z.literal('agent'), agent_id: z.string() }),
    ])
    .optional(),
});

const messageOf = (body: unknown): string => {
  try {
    parseOrRefuse(Body, body);
  } catch (error) {
    if (error instanceof CarnetError) return error.message;
    throw error;
  }
  return 'nothing';
};

describe('the message about a wrong value', () => {
  const item = { scopes: 'repo:read' };
  const cases: [unknown, string][] = [
    [{ scopes: ['repo:read'] }, 'scopes.0: must be an object'],
    [{ scopes: [] }, 'scopes: must have at least 1 item'],
    [{ scopes: [item, item, item] }, 'scopes: must have at most 2 items'],
    [{ scopes: 'repo:read' }, 'scopes: must be a list'],
    [{ name: 7 }, 'name: must be a text'],
    [{ name: 'a' }, 'name: must have at least 2 characters'],
    [{ name: 'long' }, 'name: must have at most 3 characters'],
    [{ ttl_seconds: 7_200 }, 'ttl_seconds: must be at most 3600'],
    [{ ttl_seconds: 1 }, 'ttl_seconds: must be at least 60'],
    [{ ttl_seconds: '900' }, 'ttl_seconds: must be a number'],
    [{ depth: 1.5 }, 'depth: must be a whole number'],
    [{ share: 0 }, 'share: must be more than 0'],
    [{ share: 1 }, 'share: must be less than 1'],
    [{ mode: 'strict' }, 'mode: must be one of "logged", "enforced"'],
    [{ version: 2 }, 'version: must be 1'],
    [{ confirm: 'yes' }, 'confirm: must be true or false'],
    [{ value: {} }, 'value: has none of the shapes that are taken here'],
    [{ owner: {} }, 'owner.kind: must be one of "operator", "agent"'],
    [{ owner: { kind: 'agents' } }, 'owner.kind: must be one of "operator", "agent"'],
    [[], 'body: must be an object'],
    [{ nmae: 'ab' }, 'nmae: is not a property of this request'],
  ];
  for (const [body, sentence] of cases) {
    it(`of ${JSON.stringify(body).slice(0, 60)} is ${sentence}`, () => assert.equal(messageOf(body), sentence));
  }

  it('is what the schema itself says, where it says something', () => {
    const OwnWords = z.strictObject({ when: z.string().regex(/^\d+$/, 'must be digits') });
    assert.throws(() => parseOrRefuse(OwnWords, { when: 'x' }), { message: 'when: must be digits' });
  });
});
