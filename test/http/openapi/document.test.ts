import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { eventDefinitions } from '../../../src/events/types.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import type { Audience } from '../../../src/http/auth/audience.ts';
import { routes } from '../../../src/process/routes.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = Record<string, Json>;

interface Operation {
  operationId: string;
  tags: string[];
  security?: Json;
  parameters?: Json[];
  responses: Members;
  requestBody?: { content: Record<string, { schema: Members; example?: Json }> };
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as {
  openapi: string;
  security: Json;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { examples?: Json[]; example?: Json }>;
    securitySchemes: Members;
    examples: Record<string, { value: { status: number; code: string } }>;
  };
};

type Described = Record<string, { description?: string; enum?: string[] }>;

/** Every `$ref` in a value. */
const refsOf = (value: Json): string[] =>
  value === null || typeof value !== 'object'
    ? []
    : Array.isArray(value)
      ? value.flatMap(refsOf)
      : Object.entries(value).flatMap(([name, inside]) =>
          name === '$ref' && typeof inside === 'string' ? [inside] : refsOf(inside),
        );

/** The same without names for its parts. */
const plain = JSON.parse(JSON.stringify(document)) as Json;

const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** Those that the receiver of inbound webhooks looks at. */
const SIGNATURE_HEADERS =
  'webhook-id webhook-timestamp webhook-signature svix-id svix-timestamp svix-signature x-service-signature x-signature x-hub-signature-256';

describe('GET /openapi.json', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const assertFits = (pointer: string, value: Json): void => {
    assert(
      ajv.validate({ $ref: `openapi#${pointer}` }, value),
      `${pointer}: ${ajv.errorsText()} in ${JSON.stringify(value)}`,
    );
  };

  it('names every route once, with its refusals', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(
      operations.map((one) => one.operationId).toSorted(),
      routes.map((one) => one.operation).toSorted(),
    );
    assert.equal(new Set(operations.map((one) => one.operationId)).size, routes.length);
    for (const { operationId, responses } of operations) {
      assert('429' in responses && '500' in responses, `${operationId} says nothing of 429 or 500`);
      assert(
        Object.keys(responses).some((status) => status.startsWith('2')),
        `${operationId} has no answer`,
      );
    }
  });

  it('names what a provider may send to the receiver, and the headers that sign it', () => {
    const received = operations.find((one) => one.operationId === 'receiveInbound');
    assert.deepEqual(Object.keys(received?.requestBody?.content ?? {}), [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'message/rfc822',
    ]);
    const headers = (received?.parameters ?? []).map((one) => one as Members).filter((one) => one['in'] === 'header');
    assert(headers.every((one) => one['required'] !== true));
    assert.deepEqual(
      headers.map((one) => one['name']),
      SIGNATURE_HEADERS.split(' '),
    );
    const paid = operations.find((one) => one.operationId === 'receivePaymentWebhook');
    assert.deepEqual(Object.keys(paid?.requestBody?.content ?? {}), ['application/json']);
    assert(paid?.parameters?.some((one) => (one as Members)['name'] === 'stripe-signature'));
  });

  it('names both statuses under which an answer may come', () => {
    const answersOf = (operation: string): string[] =>
      Object.keys(operations.find((one) => one.operationId === operation)?.responses ?? {}).filter((status) =>
        status.startsWith('2'),
      );
    assert.deepEqual(
      [answersOf('refundTransaction'), answersOf('submitClaim'), answersOf('getRefund')],
      [['200', '202'], ['200', '201'], ['200']],
    );
  });

  it('has 401 exactly where a credential or a signature is needed', () => {
    for (const route of routes) {
      const operation = operations.find((one) => one.operationId === route.operation);
      const needed = route.audience !== 'public' || route.takesSigned !== undefined;
      assert.equal('401' in (operation?.responses ?? {}), needed, route.operation);
    }
  });

  it('says which credentials are taken: any, a person’s cookie alone, a key alone, none', () => {
    const takers: Partial<Record<Audience, Json>> = {
      public: [],
      person: [{ session: [] }],
    };
    assert.deepEqual(document.security, [{ apiKey: [] }, { session: [] }]);
    assert.deepEqual(Object.keys(document.components.securitySchemes), ['apiKey', 'session']);
    for (const { operation, audience } of routes) {
      const described = operations.find((one) => one.operationId === operation);
      assert.deepEqual(described?.security, takers[audience], operation);
    }
  });

  it('has a place for the approval exactly where one may be required', () => {
    for (const { operationId, parameters, responses } of operations) {
      const required = JSON.stringify(responses).includes('GOVERNANCE_APPROVAL_REQUIRED');
      const place = JSON.stringify(parameters ?? []).includes('#/components/parameters/GovernanceApproval');
      assert.equal(place, required, operationId);
    }
  });

  it('has references that lead somewhere', () => {
    const refs = new Set(refsOf(plain));
    assert(refs.size > 3);
    for (const ref of refs) {
      const target = ref
        .slice(2)
        .split('/')
        .reduce<Json | undefined>(
          (at, name) =>
            (at as Members | undefined)?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')],
          document as unknown as Json,
        );
      assert(target !== undefined, `${ref} leads nowhere`);
    }
  });

  it('has components that are named, none numbered by a machine', () => {
    for (const name of Object.keys(document.components.schemas)) assert.match(name, /^[A-Z][A-Za-z0-9]*[A-Za-z]$/);
  });

  it('has an example of each refusal, under the status that it has', () => {
    for (const [name, { value }] of Object.entries(document.components.examples)) {
      assert.equal(value.code, name);
    }
    const fitting = new Set<string>();
    for (const { operationId, responses } of operations) {
      for (const [status, response] of Object.entries(responses)) {
        const problem = refsOf(response).find((one) => one.endsWith('Problem')) ?? '';
        for (const ref of refsOf(response).filter((one) => one.startsWith('#/components/examples/'))) {
          const example = document.components.examples[ref.slice('#/components/examples/'.length)];
          assert.equal(String(example?.value.status), status, `${operationId}: ${ref}`);
          if (!fitting.has(problem + ref)) assertFits(problem.slice(1), example?.value ?? null);
          fitting.add(problem + ref);
        }
      }
    }
  });

  it('has examples that fit their own schemas', () => {
    let examples = 0;
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const example of schema.examples ?? []) {
        examples += 1;
        assertFits(`/components/schemas/${name}`, example);
      }
      assert(!('example' in schema), `${name} has the deprecated keyword example; use examples`);
    }
    assert(examples > 5, 'components have examples');
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const body = requestBody?.content['application/json'];
        if (body?.example === undefined) continue;
        assertFits(
          `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method}/requestBody/content/application~1json/schema`,
          body.example,
        );
      }
    }
  });

  it('has an example for every body that something is required of, taken by the route itself; what is signed has none that would fit', () => {
    for (const { operation, body, ...route } of routes) {
      if (body === undefined || route.takesSigned !== undefined) continue;
      const example = route.example ?? body.meta()?.examples?.[0];
      if (example === undefined) {
        assert(body.safeParse({}).success, `${operation} has no example of its body`);
        continue;
      }
      const parsed = body.safeParse(example);
      assert(parsed.success, `${operation}: ${parsed.success ? '' : parsed.error.message}`);
    }
  });

  it('refuses what the service refuses by its form', () => {
    const schemas = document.components.schemas as Record<string, Members>;
    const patches = Object.values(document.paths).flatMap(({ patch }) => refsOf(patch?.requestBody ?? null));
    assert(patches.length > 5);
    for (const ref of patches) {
      const schema = schemas[ref.split('/').at(-1) ?? ''];
      assert(schema !== undefined && !ajv.validate({ $ref: `openapi${ref}` }, {}), `${ref} takes {}`);
    }
    const { IdempotencyKey } =
      (document.components as { parameters?: Record<string, { schema: Members }> }).parameters ?? {};
    assert(IdempotencyKey !== undefined && ajv.validate(IdempotencyKey.schema, 'a key ~'));
    assert(!ajv.validate(IdempotencyKey.schema, 'a\tkey') && !ajv.validate(IdempotencyKey.schema, 'schlüssel'));
    assertFits('/components/schemas/Subscribe', { tier: 'pro' });
    assert(!ajv.validate({ $ref: 'openapi#/components/schemas/Subscribe' }, { tier: 'free' }));
  });

  it('has what the service sends, signed, with a body whose example fits', () => {
    const sent = Object.entries(document.webhooks).map(([name, { post }]) => {
      const { schema, example = null } = post?.requestBody?.content['application/json'] ?? assert.fail(name);
      assertFits((refsOf(schema)[0] ?? assert.fail(name)).slice(1), example);
      assert.deepEqual(post?.security, []);
      return [name, (post?.parameters ?? []).map((parameter) => (parameter as { name: string }).name)];
    });
    const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Service-Signature'];
    assert.deepEqual(Object.fromEntries(sent), {
      ...Object.fromEntries(Object.keys(eventDefinitions).map((type) => [type, signed])),
      'inbound.forward': ['X-Service-Signature', 'X-Service-Event-Id'],
    });
  });

  it('has a name for every object and every choice of objects', () => {
    const nameless: string[] = [];
    const look = (value: Json, place: string, named: boolean): void => {
      if (value === null || typeof value !== 'object') return;
      if (Array.isArray(value)) {
        for (const [at, one] of value.entries()) look(one, `${place}/${at}`, false);
        return;
      }
      if (!named && 'properties' in value) nameless.push(place);
      for (const [name, inside] of Object.entries(value)) {
        if (name === 'example' || name === 'examples' || name === 'mapping') continue;
        if (name !== 'properties') look(inside, `${place}/${name}`, false);
        else
          for (const [property, schema] of Object.entries(inside as Members))
            look(schema, `${place}/${name}/${property}`, false);
      }
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name, true);
    look((plain as Members)['paths'] ?? null, 'paths', false);
    assert.deepEqual(nameless, []);
  });

  it('has nothing that generators stumble over', () => {
    const text = JSON.stringify([document.paths, document.components.schemas]);
    for (const keyword of ['"not":{', '"default":', '"propertyNames":', '"additionalProperties":{}'])
      assert(!text.includes(keyword), keyword);
    assert.doesNotMatch(text, /"type":"number","const"/);
    for (const path of Object.keys(document.paths)) assert.doesNotMatch(path, /\{\w\}/);
  });

  it('has the members of a refusal in the schema of its status', () => {
    const schemas = document.components.schemas as Record<string, { required: string[]; properties: Described }>;
    const payment = schemas['PaymentRequiredProblem'];
    assert.deepEqual(payment?.properties['code'], { type: 'string', enum: ['INSUFFICIENT_CREDITS'] });
    assert(payment?.required.includes('required_cents') && payment.required.includes('balance_cents'));
    const forbidden = schemas['ForbiddenProblem']?.properties ?? {};
    assert.match(forbidden['approval_id']?.description ?? '', /^GOVERNANCE_APPROVAL_REQUIRED: /);
    assert.match(forbidden['limit']?.description ?? '', /AGENT_BUDGET_EXCEEDED: .+TIER_LIMIT_EXCEEDED: /);
    // A status has one schema, so the code alone says of which type a refusal is.
    const others = schemas['Problem']?.properties['code']?.enum ?? [];
    assert(others.length > 0 && forbidden['code']?.enum?.every((code) => !others.includes(code)));
  });

  it('does not list the tag of the platform, though its operations bear it', () => {
    assert(!document.tags.some((tag) => tag.name === 'platform'));
    assert(operations.some((one) => one.tags[0] === 'platform'));
  });

  it('is the committed openapi.json', async () => {
    const committed = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
    assert(
      isDeepStrictEqual(JSON.parse(committed), document),
      'openapi.json is old; run: node scripts/write-openapi.ts',
    );
  });
});
