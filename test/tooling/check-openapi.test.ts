import assert from 'node:assert/strict';
import { faultsOf } from '../../scripts/check-openapi.ts';

const problem = {
  type: 'object',
  required: ['type', 'title', 'status'],
  properties: { type: { type: 'string' }, title: { type: 'string' }, status: { type: 'integer' } },
};

/** A document that a generator accepts; each test breaks one thing in a fresh copy. */
const document = () => ({
  openapi: '3.1.0',
  info: { title: 'Carnet', version: '1' },
  servers: [{ url: 'http://127.0.0.1:3000' }],
  tags: [{ name: 'skills', description: 'What agents sell' }],
  paths: {
    '/v1/skills/{id}': {
      get: {
        operationId: 'getSkill',
        summary: 'One skill',
        description: 'Its code is shown to its owner alone.',
        tags: ['skills'],
        security: [{ key: [] }],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'The skill',
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Skill' }, example: { name: 'translate' } },
            },
          },
          404: {
            description: 'None',
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        },
      },
    },
  } as Record<string, { get: Record<string, unknown> }>,
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Problem: problem,
      Skill: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    } as Record<string, object>,
  },
});

type Spoil = (broken: ReturnType<typeof document>, operation: Record<string, unknown>) => void;

const spoilt: [rule: string, spoil: Spoil][] = [
  [
    'struct',
    (_, operation) => {
      operation.summary = 7;
    },
  ],
  [
    'no-unresolved-refs',
    ({ components }) => {
      delete components.schemas.Skill;
    },
  ],
  [
    'no-unused-components',
    ({ components }) => {
      components.schemas.Forgotten = { type: 'object' };
    },
  ],
  [
    'operation-operationId',
    (_, operation) => {
      operation.operationId = undefined;
    },
  ],
  [
    'operation-operationId-unique',
    ({ paths }, operation) => {
      paths['/v1/skills/{id}/versions'] = { get: { ...operation } };
    },
  ],
  [
    'operation-operationId-url-safe',
    (_, operation) => {
      operation.operationId = 'get skill';
    },
  ],
  [
    'operation-singular-tag',
    ({ tags }, operation) => {
      tags.push({ name: 'market', description: 'All' });
      operation.tags = ['skills', 'market'];
    },
  ],
  [
    'operation-tag-defined',
    (_, operation) => {
      operation.tags = ['skill'];
    },
  ],
  [
    'operation-4xx-problem-details-rfc7807',
    ({ components }) => {
      components.schemas.Problem = { type: 'object' };
    },
  ],
  [
    'security-defined',
    (_, operation) => {
      operation.security = undefined;
    },
  ],
  [
    'path-parameters-defined',
    (_, operation) => {
      operation.parameters = [];
    },
  ],
  [
    'operation-description',
    (_, operation) => {
      operation.description = undefined;
    },
  ],
  [
    'body-example',
    (_, operation) => {
      operation.requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Skill' } } } };
    },
  ],
  [
    'request-name',
    ({ components }) => {
      components.schemas.GetSkillRequest = { type: 'object' };
    },
  ],
  [
    'member-name',
    ({ components }) => {
      components.schemas.Skill = { type: 'object', properties: { 1: { type: 'string' } } };
    },
  ],
  [
    'no-invalid-media-type-examples',
    ({ components }) => {
      components.schemas.Skill = { type: 'object', properties: { name: { type: 'integer' } } };
    },
  ],
];

describe('scripts/check-openapi.ts', () => {
  it('finds nothing in a document that generators can read', async () => {
    assert.deepEqual(await faultsOf(JSON.stringify(document())), []);
  });

  for (const [rule, spoil] of spoilt) {
    it(`finds ${rule}, and names the place`, async () => {
      const broken = document();
      spoil(broken, broken.paths['/v1/skills/{id}']?.get ?? assert.fail());
      const faults = await faultsOf(JSON.stringify(broken));
      assert.ok(
        faults.some((fault) => fault.startsWith('#/') && fault.endsWith(`[${rule}]`)),
        faults.join('\n'),
      );
    });
  }

  it('refuses what is not JSON', async () => {
    await assert.rejects(faultsOf('openapi: 3.1.0'), SyntaxError);
  });
});
