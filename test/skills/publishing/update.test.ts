import assert from 'node:assert/strict';
import type { Skill, SkillVersion } from '../../../src/skills/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { buildAgent, buildAgentKey, buildOperator, echoSchema, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../../support/service.ts';
import { publish, sealedSkill } from '../support.ts';

const schemas = {
  one: { type: 'object', properties: { one: { type: 'string' } } },
  two: { type: 'object', properties: { two: { type: 'string' } } },
};

interface Versions {
  versions: SkillVersion[];
  next_cursor: string | null;
  has_more: boolean;
}

describe('PATCH /v1/skills/:id', () => {
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('requires authentication', async () => {
    assertProblem(
      await anonymous().patch(`/v1/skills/${(await publish(owner)).id}`, { description: 'x' }),
      'UNAUTHENTICATED',
    );
  });
  it('is for the owner alone', async () => {
    const { id } = await publish(owner);
    assertProblem(await other.patch(`/v1/skills/${id}`, { description: 'x' }), 'NOT_OWNER');
    assertProblem(await platform().patch(`/v1/skills/${id}`, { description: 'x' }), 'NOT_OWNER');
  });
  it('hides from others what they may not see', async () => {
    assertProblem(
      await other.patch(`/v1/skills/${(await publish(owner, sealedSkill)).id}`, { description: 'x' }),
      'NOT_FOUND',
    );
    assertProblem(await owner.patch('/v1/skills/skl_01K0000000000000000000000A', { description: 'x' }), 'NOT_FOUND');
  });
  it('refuses a wrong body before it looks at the owner', async () => {
    assertProblem(
      await other.patch(`/v1/skills/${(await publish(owner)).id}`, { version: '1' }),
      'VALIDATION_ERROR',
      'version',
    );
  });

  it('is 409 for a key that stands for another request before the schema is found to be wrong', async () => {
    const path = `/v1/skills/${(await publish(owner)).id}`;
    const key = { 'idempotency-key': 'update-once' };
    assertStatus(await owner.patch(path, { description: 'x' }, key), 200);
    const refused = { output_schema: { $ref: 'https://example.test/a' } };
    assertProblem(await owner.patch(path, refused, key), 'IDEMPOTENCY_KEY_REUSED');
  });

  const changes: Record<string, unknown> = {
    description: 'Another',
    version: '2.0.0',
    input_schema: schemas.one,
    output_schema: schemas.two,
    trust_level_required: 'L2',
    tags: ['x', 'y'],
    price_per_invocation: 7,
  };
  for (const [field, value] of Object.entries(changes)) {
    it(`changes ${field} alone, as one more revision`, async () => {
      const before = await publish(owner, { tags: ['a'], price_per_invocation: 5 });
      await eventually('the next millisecond', () => new Date().toISOString() > before.updated_at);
      const after = assertStatus(await owner.patch<Skill>(`/v1/skills/${before.id}`, { [field]: value }), 200);
      assert(after.updated_at > before.updated_at);
      assert.deepEqual(after, { ...before, [field]: value, revision: 2, updated_at: after.updated_at });
      assert.deepEqual(assertStatus(await owner.get<Skill>(`/v1/skills/${before.id}`), 200), after);
    });
  }

  it('leaves the revision where nothing changes', async () => {
    const before = await publish(owner, { tags: ['a'] });
    assert.deepEqual(
      assertStatus(await owner.patch<Skill>(`/v1/skills/${before.id}`, { tags: ['a'], version: '1.0.0' }), 200),
      before,
    );
  });

  it('changes what is found by it', async () => {
    const { id } = await publish(owner);
    const word = `zebra${id.slice(-10).toLowerCase()}`;
    assertStatus(await owner.patch(`/v1/skills/${id}`, { description: `About a ${word}` }), 200);
    assert.equal((await other.get(`/v1/skills?search=${word}`)).body.total, 1);
  });

  it('works in every status', async () => {
    for (const { id } of [await publish(owner, sealedSkill), await publish(owner)]) {
      assertStatus(await owner.post(`/v1/skills/${id}/suspend`), 200);
      assert.equal(
        assertStatus(await owner.patch<Skill>(`/v1/skills/${id}`, { description: 'x' }), 200).status,
        'suspended',
      );
    }
  });

  it('is for the owner’s agents too', async () => {
    const { id } = await publish(owner);
    const agent = await buildAgentKey(owner, (await buildAgent(owner)).id);
    assertStatus(await agent.patch(`/v1/skills/${id}`, { description: 'x' }), 200);
  });

  const immutable = [
    'name',
    'agent_id',
    'execution_mode',
    'credential_mode',
    'required_credentials',
    'seller_credential_limit',
    'accepts_requests',
    'execution_steps',
    'execution_script',
    'execution_runtime',
    'dependencies',
    'llm_enabled',
    'llm_provider',
    'llm_model',
    'llm_config',
    'status',
  ];
  for (const field of immutable) {
    it(`cannot change ${field}`, async () =>
      assertProblem(
        await owner.patch(`/v1/skills/${(await publish(owner)).id}`, { [field]: 'x' }),
        'VALIDATION_ERROR',
        field,
      ));
  }

  it('refuses an empty body', async () =>
    assertProblem(await owner.patch(`/v1/skills/${(await publish(owner)).id}`, {}), 'VALIDATION_ERROR'));
  it('refuses a hostile schema and says where', async () => {
    const reply = await owner.patch(`/v1/skills/${(await publish(owner)).id}`, {
      output_schema: { $ref: 'file:///etc/passwd' },
    });
    assertProblem(reply, 'VALIDATION_ERROR', 'output_schema.$ref');
  });

  describe('an earlier version', () => {
    /** 1.0.0 with schema one, then 2.0.0 with schema two. */
    const twoVersions = async (): Promise<string> => {
      const { id } = await publish(owner, { input_schema: schemas.one, output_schema: schemas.one });
      assertStatus(await owner.patch(`/v1/skills/${id}`, { version: '2.0.0', input_schema: schemas.two }), 200);
      return id;
    };
    const reordered = { properties: { one: { type: 'string' } }, type: 'object' };
    const cases: [what: string, body: Record<string, unknown>, allowed: boolean][] = [
      ['is not what the schemas are now', { version: '1.0.0' }, false],
      ['cannot get other schemas', { version: '1.0.0', input_schema: echoSchema }, false],
      [
        'cannot get another output schema either',
        { version: '1.0.0', input_schema: schemas.one, output_schema: schemas.two },
        false,
      ],
      ['can be gone back to with its schemas', { version: '1.0.0', input_schema: schemas.one }, true],
      [
        'can be gone back to with its schemas in another order of members',
        { version: '1.0.0', input_schema: reordered },
        true,
      ],
    ];
    for (const [what, body, allowed] of cases) {
      it(what, async () => {
        const reply = await owner.patch<Skill>(`/v1/skills/${await twoVersions()}`, body);
        if (allowed) assert.deepEqual([assertStatus(reply, 200).version, reply.body.revision], ['1.0.0', 3]);
        else assertProblem(reply, 'VERSION_IMMUTABLE');
      });
    }

    it('may be the current one, whose schemas can still change', async () => {
      const skill = assertStatus(
        await owner.patch<Skill>(`/v1/skills/${await twoVersions()}`, { version: '2.0.0', input_schema: schemas.one }),
        200,
      );
      assert.deepEqual([skill.version, skill.revision], ['2.0.0', 3]);
    });

    it('of another skill does not matter', async () => {
      await twoVersions();
      const { id } = await publish(owner, { version: '2.0.0' });
      assertStatus(await owner.patch(`/v1/skills/${id}`, { version: '1.0.0' }), 200);
    });
  });

  it('writes two changes that come together one after the other', async () => {
    const { id } = await publish(owner);
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => owner.patch(`/v1/skills/${id}`, { price_per_invocation: at + 1 })),
    );
    const { versions } = assertStatus(await owner.get<Versions>(`/v1/skills/${id}/versions`), 200);
    assert.deepEqual(
      versions.map(({ revision }) => revision),
      [9, 8, 7, 6, 5, 4, 3, 2, 1],
    );
  });
});

describe('GET /v1/skills/:id/versions', () => {
  let owner: TestOperator;

  before(async () => {
    owner = await buildOperator();
  });

  it('requires authentication', async () =>
    assertProblem(await anonymous().get(`/v1/skills/${(await publish(owner)).id}/versions`), 'UNAUTHENTICATED'));
  it('answers 404 for an unknown skill', async () =>
    assertProblem(await owner.get('/v1/skills/skl_x/versions'), 'NOT_FOUND'));

  it('lists every revision as it was, newest first, to anybody', async () => {
    const { id, created_at: createdAt } = await publish(owner, { price_per_invocation: 1 });
    const { updated_at: updatedAt } = assertStatus(
      await owner.patch<Skill>(`/v1/skills/${id}`, {
        version: '1.1.0',
        input_schema: schemas.one,
        price_per_invocation: 2,
      }),
      200,
    );
    const reply = await (await buildOperator()).get<Versions>(`/v1/skills/${id}/versions`);
    const { versions, next_cursor: cursor, has_more: more } = assertStatus(reply, 200);
    assert(versions[0] !== undefined && versions[0].created_at <= updatedAt);
    assert.deepEqual(versions, [
      {
        revision: 2,
        version: '1.1.0',
        input_schema: schemas.one,
        output_schema: echoSchema,
        price_per_invocation: 2,
        created_at: versions[0].created_at,
      },
      {
        revision: 1,
        version: '1.0.0',
        input_schema: echoSchema,
        output_schema: echoSchema,
        price_per_invocation: 1,
        created_at: createdAt,
      },
    ]);
    assert.deepEqual([cursor, more], [null, false]);
  });

  it('continues by cursor', async () => {
    const { id } = await publish(owner);
    for (let price = 1; price <= 4; price += 1)
      assertStatus(await owner.patch(`/v1/skills/${id}`, { price_per_invocation: price }), 200);
    const first = assertStatus(await owner.get<Versions>(`/v1/skills/${id}/versions?limit=3`), 200);
    const second = assertStatus(
      await owner.get<Versions>(`/v1/skills/${id}/versions?limit=3&cursor=${first.next_cursor ?? ''}`),
      200,
    );
    assert.deepEqual(
      [...first.versions, ...second.versions].map(({ revision }) => revision),
      [5, 4, 3, 2, 1],
    );
    assert.deepEqual([first.has_more, second.has_more], [true, false]);
    assertProblem(await owner.get(`/v1/skills/${id}/versions?cursor=x`), 'INVALID_CURSOR');
  });
});
