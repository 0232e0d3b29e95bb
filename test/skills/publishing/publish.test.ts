import assert from 'node:assert/strict';
import type { Skill } from '../../../src/skills/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  echoSchema,
  publication,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
import { llmStep, publish, scriptStep, sealedSkill } from '../support.ts';

/** The bodies that are refused, and the fault's path. */
const faults: [fault: string, body: Record<string, unknown>, path: string][] = [
  ['a name of one letter', { name: 'a' }, 'name'],
  ['a name of 65 letters', { name: 'a'.repeat(65) }, 'name'],
  ['a name in capitals', { name: 'Echo' }, 'name'],
  ['a name that begins with a hyphen', { name: '-echo' }, 'name'],
  ['a name that ends with a hyphen', { name: 'echo-' }, 'name'],
  ['an empty description', { description: '' }, 'description'],
  ['a description of 1,001 characters', { description: 'x'.repeat(1_001) }, 'description'],
  ['a version with a leading v', { version: 'v1.0.0' }, 'version'],
  ['a version of two numbers', { version: '1.0' }, 'version'],
  ['a version with a leading zero', { version: '1.01.0' }, 'version'],
  ['an unknown trust level', { trust_level_required: 'L3' }, 'trust_level_required'],
  ['eleven tags', { tags: Array.from({ length: 11 }, (_, at) => `t${at}`) }, 'tags'],
  ['a tag of 33 characters', { tags: ['x'.repeat(33)] }, 'tags.0'],
  ['an empty tag', { tags: [''] }, 'tags.0'],
  ['a tag with a comma, by which nobody would find it', { tags: ['a,b'] }, 'tags.0'],
  ['a tag with a blank at its end', { tags: ['a', 'b '] }, 'tags.1'],
  ['a tag with a blank at its beginning', { tags: ['\u00a0b'] }, 'tags.0'],
  ['a negative price', { price_per_invocation: -1 }, 'price_per_invocation'],
  ['a price in fractions of a cent', { price_per_invocation: 0.5 }, 'price_per_invocation'],
  ['an unknown execution mode', { execution_mode: 'closed' }, 'execution_mode'],
  ['an unknown credential mode', { credential_mode: 'both_provide' }, 'credential_mode'],
  [
    'a required credential without scopes',
    { required_credentials: [{ provider: 'mail' }] },
    'required_credentials.0.scopes',
  ],
  [
    'required credentials of more than 16,384 bytes',
    {
      required_credentials: Array.from({ length: 2 }, () => ({
        provider: 'mail',
        scopes: Array.from({ length: 70 }, () => 'x'.repeat(128)),
      })),
    },
    'required_credentials',
  ],
  ['a negative seller limit', { seller_credential_limit: { max_calls: -1 } }, 'seller_credential_limit.max_calls'],
  ['no steps at all', { execution_steps: [] }, 'execution_steps'],
  ['eleven steps', { execution_steps: Array.from({ length: 11 }, () => llmStep) }, 'execution_steps'],
  [
    'a step without its script',
    { execution_steps: [{ type: 'script', label: 'a', runtime: 'javascript' }] },
    'execution_steps.0.script',
  ],
  [
    'a step in an unknown runtime',
    { execution_steps: [{ ...scriptStep, runtime: 'none' }] },
    'execution_steps.0.runtime',
  ],
  [
    'a model step without a model',
    { execution_steps: [{ type: 'llm', label: 'a', llm_provider: 'acme' }] },
    'execution_steps.0.llm_model',
  ],
  [
    'steps with 500,001 characters of script together',
    {
      execution_steps: [
        { ...scriptStep, script: 'x'.repeat(250_000) },
        { ...scriptStep, script: 'x'.repeat(250_001) },
      ],
    },
    'execution_steps',
  ],
  ['a script of 100,001 characters', { execution_script: 'x'.repeat(100_001) }, 'execution_script'],
  ['dependencies of 10,001 characters', { dependencies: 'x'.repeat(10_001) }, 'dependencies'],
  [
    'a system prompt of 100,001 characters',
    { execution_steps: [{ ...llmStep, llm_config: { system_prompt: 'x'.repeat(100_001) } }] },
    'execution_steps.0.llm_config.system_prompt',
  ],
  ['an unknown runtime', { execution_runtime: 'ruby' }, 'execution_runtime'],
  ['an input schema that is no object', { input_schema: true }, 'input_schema'],
  ['an unknown property', { price: 5 }, 'price'],
  ['an agent that does not exist', { agent_id: 'ag_01K0000000000000000000000A' }, 'agent_id'],
];

const hostileSchemas: [fault: string, schema: Record<string, unknown>, path: string][] = [
  [
    'a pattern that is no regular expression',
    { type: 'object', properties: { text: { pattern: '(' } } },
    'input_schema.properties.text.pattern',
  ],
  [
    'a remote $ref',
    { properties: { text: { $ref: 'https://example.test/text.json' } } },
    'input_schema.properties.text.$ref',
  ],
  [
    'a $data reference',
    { properties: { text: { const: { $data: '1/other' } } } },
    'input_schema.properties.text.const',
  ],
  ['an unknown type', { properties: { text: { type: 'text' } } }, 'input_schema.properties.text.type'],
  [
    'too many properties',
    { properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, {}])) },
    'input_schema.properties',
  ],
];

describe('POST /v1/skills', () => {
  let owner: TestOperator;

  before(async () => {
    owner = await buildOperator();
  });

  it('requires authentication', async () => {
    assertProblem(await anonymous().post('/v1/skills', publication()), 'UNAUTHENTICATED');
  });

  it('publishes an open contract immediately, with the defaults shown', async () => {
    const body = publication({ name: 'echo' });
    const reply = await owner.post<Skill>('/v1/skills', body);
    const { id, created_at: createdAt, updated_at: updatedAt, ...skill } = assertStatus(reply, 201);
    assert.match(id, /^skl_[0-9A-Z]{26}$/);
    assert.equal(reply.headers.get('location'), `/v1/skills/${id}`);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(skill, {
      ...body,
      operator_id: owner.operatorId,
      seller: { name: owner.name, verified: false },
      revision: 1,
      status: 'active',
      tags: [],
      price_per_invocation: 0,
      agent_id: null,
      execution_mode: 'open',
      credential_mode: 'none',
      required_credentials: [],
      seller_credential_limit: null,
      accepts_requests: true,
      llm_enabled: null,
      llm_provider: null,
      llm_model: null,
      llm_config: null,
      execution_runtime: null,
      execution_steps: null,
      execution_script: null,
      dependencies: null,
      max_compute_cents: null,
      pending_change: null,
      average_rating: null,
      rating_count: 0,
      invocation_count: 0,
      review: { status: 'exempt', rejection_reason: null, reviewed_at: null },
    });
  });

  it('is 409 for a key that stands for another request before the schema is found to be wrong', async () => {
    const [key, refused] = [{ 'idempotency-key': 'publish-schema' }, publication({ input_schema: { $ref: 'x:/a' } })];
    assertStatus(await owner.post('/v1/skills', publication(), key), 201);
    assertProblem(await owner.post('/v1/skills', refused, key), 'IDEMPOTENCY_KEY_REUSED');
    assertProblem(await owner.post('/v1/skills', refused), 'VALIDATION_ERROR', 'input_schema.$ref');
  });

  it('stores every field as given', async () => {
    const agent = await buildAgent(owner);
    const given = {
      description: 'Ünïcödé '.repeat(125).slice(0, 1_000),
      version: '1.0.0-rc.1+build.5',
      input_schema: { type: 'object', properties: { z: { type: 'number' }, a: { maximum: 1e30 } } },
      trust_level_required: 'L2',
      tags: ['Text', 'a b'],
      price_per_invocation: Number.MAX_SAFE_INTEGER,
      agent_id: agent.id,
      execution_mode: 'sealed',
      credential_mode: 'both',
      required_credentials: [{ provider: 'mail', scopes: ['read', 'send'] }],
      seller_credential_limit: { max_calls: 10.5, max_cost_cents: 0 },
      accepts_requests: false,
      execution_steps: [scriptStep, llmStep],
      llm_provider: 'acme',
      llm_config: { temperature: 0.2, max_tokens: 100 },
    };
    const skill = await publish(owner, given);
    for (const [field, value] of Object.entries(given)) assert.deepEqual(skill[field as keyof Skill], value, field);
    assert.deepEqual(
      Object.keys((skill.input_schema as { properties: object }).properties),
      ['z', 'a'],
      'members stay in their order',
    );
  });

  it('counts characters, not UTF-16 units', async () => {
    await publish(owner, { description: '😀'.repeat(1_000), tags: ['😀'.repeat(32)] });
    assertProblem(
      await owner.post('/v1/skills', publication({ description: '😀'.repeat(1_001) })),
      'VALIDATION_ERROR',
      'description',
    );
  });

  it('collapses a repeated tag', async () => {
    assert.deepEqual((await publish(owner, { tags: ['a', 'b', 'a'] })).tags, ['a', 'b']);
  });

  it('takes 500,000 characters of script in four bytes each', async () => {
    const skill = await publish(owner, {
      execution_mode: 'sealed',
      execution_steps: [{ ...scriptStep, script: '😀'.repeat(500_000) }],
    });
    assert.equal(skill.status, 'pending_review');
  });

  it('takes ten steps of which nine have a system prompt of 100,000 characters, beside 500,000 of script', async () => {
    const prompted = { ...llmStep, llm_config: { system_prompt: 'é'.repeat(100_000) } };
    const script = { ...scriptStep, script: '—'.repeat(500_000) };
    const skill = await publish(owner, {
      execution_mode: 'sealed',
      execution_steps: [script, ...Array.from({ length: 9 }, () => prompted)],
    });
    assert.equal(skill.status, 'pending_review');
  });

  for (const [fault, overrides, path] of faults) {
    it(`refuses ${fault}`, async () =>
      assertProblem(await owner.post('/v1/skills', publication(overrides)), 'VALIDATION_ERROR', path));
  }

  for (const field of ['name', 'description', 'version', 'input_schema', 'output_schema', 'trust_level_required']) {
    it(`requires ${field}`, async () => {
      assertProblem(await owner.post('/v1/skills', publication({ [field]: undefined })), 'VALIDATION_ERROR', field);
    });
  }

  for (const [field, value] of Object.entries({
    execution_script: '',
    execution_runtime: 'none',
    dependencies: '',
    llm_enabled: false,
    llm_model: 'a',
  })) {
    it(`refuses ${field} beside execution_steps, regardless of its value`, async () => {
      assertProblem(
        await owner.post('/v1/skills', publication({ execution_steps: [llmStep], [field]: value })),
        'VALIDATION_ERROR',
        field,
      );
    });
  }

  for (const [fault, schema, path] of hostileSchemas) {
    it(`refuses ${fault} in a schema and says where`, async () => {
      const reply = await owner.post('/v1/skills', publication({ input_schema: schema }));
      assertProblem(reply, 'VALIDATION_ERROR', path);
    });
  }

  it('names the faults of both schemas', async () => {
    const bad = { $ref: 'https://example.test/a' };
    const reply = await owner.post('/v1/skills', publication({ input_schema: bad, output_schema: bad }));
    assertProblem(reply, 'VALIDATION_ERROR', 'input_schema.$ref');
    assertProblem(reply, 'VALIDATION_ERROR', 'output_schema.$ref');
  });

  const single = { llm_enabled: true, llm_provider: 'openai', llm_model: 'tiny-1' };
  const unexecutable: [what: string, overrides: Record<string, unknown>, path: string, sentence: RegExp][] = [
    [
      'a model without its provider',
      { ...single, llm_provider: undefined },
      'llm_provider',
      /required where llm_enabled/u,
    ],
    ['a provider without its model', { ...single, llm_model: undefined }, 'llm_model', /required where llm_enabled/u],
    ['a model beside a script', { ...single, execution_script: 'x' }, 'llm_enabled', /put both into execution_steps/u],
    [
      'an unknown provider',
      { ...single, llm_provider: 'acme' },
      'llm_model',
      /acme\/tiny-1, which .* it offers openai\/tiny-1/u,
    ],
    [
      'an unknown model',
      { ...single, llm_model: 'a-1' },
      'llm_model',
      /openai\/a-1, which the service does not offer/u,
    ],
    ['a dependency', { execution_script: 'x', dependencies: 'numpy' }, 'dependencies', /"numpy", which no runtime/u],
    [
      'a step with an unknown model',
      { execution_steps: [scriptStep, { ...llmStep, llm_model: 'a-1' }] },
      'execution_steps.1.llm_model',
      /openai\/a-1/u,
    ],
  ];
  for (const [what, overrides, path, sentence] of unexecutable)
    it(`refuses ${what} in what the service executes, and takes it in an open skill`, async () => {
      const reply = await owner.post('/v1/skills', publication({ ...overrides, execution_mode: 'sealed' }));
      assertProblem(reply, 'VALIDATION_ERROR', path);
      assert.match((reply.body as { detail: string }).detail, sentence);
      await publish(owner, overrides);
    });

  it("refuses another operator's agent", async () => {
    const agent = await buildAgent(await buildOperator());
    assertProblem(await owner.post('/v1/skills', publication({ agent_id: agent.id })), 'VALIDATION_ERROR', 'agent_id');
  });

  it('refuses a name the operator has already, and takes it from another operator', async () => {
    await publish(owner, { name: 'twice' });
    assertProblem(await owner.post('/v1/skills', publication({ name: 'twice' })), 'SKILL_NAME_TAKEN');
    await publish(await buildOperator(), { name: 'twice' });
  });

  it('gives a name to one of those who publish under it in parallel', async () => {
    const body = publication();
    const replies = await Promise.all(Array.from({ length: 8 }, () => owner.post('/v1/skills', body)));
    for (const reply of replies.filter(({ status }) => status !== 201)) assertProblem(reply, 'SKILL_NAME_TAKEN');
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  });

  it('lets a member and an agent publish', async () => {
    await publish(await buildMemberKey(owner));
    const agent = await buildAgent(owner);
    assert.equal((await publish(await buildAgentKey(owner, agent.id))).operator_id, owner.operatorId);
  });

  it('publishes once under one Idempotency-Key, and repeats the first answer', async () => {
    const body = publication();
    const first = await owner.post<Skill>('/v1/skills', body, { 'idempotency-key': 'publish-once' });
    const second = await owner.post<Skill>('/v1/skills', body, { 'idempotency-key': 'publish-once' });
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
  });

  const reviewed: [what: string, overrides: Record<string, unknown>][] = [
    ['a sealed skill', sealedSkill],
    ['a sealed skill without content', { execution_mode: 'sealed' }],
    ['a source skill', { execution_mode: 'source', execution_script: 'x' }],
    ['an open skill with steps', { execution_steps: [scriptStep] }],
    ['an open skill with a script', { execution_script: 'x' }],
    ['an open skill with a model', { llm_enabled: true, llm_provider: 'acme', llm_model: 'a-1' }],
  ];
  for (const [what, overrides] of reviewed) {
    it(`sends ${what} to review`, async () => {
      const skill = await publish(owner, overrides);
      assert.equal(skill.status, 'pending_review');
      assert.equal(skill.review.status, 'pending');
    });
  }

  it('needs no review for an open skill that says by its fields that it has no code', async () => {
    assert.equal((await publish(owner, { llm_enabled: false, execution_runtime: 'none' })).status, 'active');
  });

  it('accepts schemas of both drafts', async () => {
    await publish(owner, { input_schema: { ...echoSchema, $schema: 'http://json-schema.org/draft-07/schema#' } });
    await publish(owner, { input_schema: { ...echoSchema, $schema: 'https://json-schema.org/draft/2020-12/schema' } });
  });
});
