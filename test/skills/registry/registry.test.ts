import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../src/database/pool.ts';
import { listServers, listServerVersions } from '../../../src/skills/registry/queries.ts';
import { registryRoutes } from '../../../src/skills/registry/routes.ts';
import {
  namespaceOf,
  type RegistryListSchema,
  type RegistryServerSchema,
} from '../../../src/skills/registry/server-json.ts';
import { buildOperator, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../support/service.ts';
import { publish } from '../support.ts';

/** As the schema of the registry has it, which each answer is held against. */
type Server = z.output<typeof RegistryServerSchema> & { server: { name: string; remotes: { url: string }[] } };
type List = z.output<typeof RegistryListSchema> & { servers: Server[] };

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

/** RFC 3339. */
const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

describe('GET /v0.1/servers', () => {
  let owner: TestOperator;
  let fits: ValidateFunction;
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isInstant, uri: URL.canParse } });
  /** Answers of the official API have these forms. */
  const asAnswer = (name: 'ServerList' | 'ServerResponse'): ValidateFunction =>
    ajv.getSchema(`answers.schema.json#/$defs/${name}`) ?? assert.fail(`There is no schema ${name}.`);
  /** The answer, which has the form of the official API. */
  async function official<Answer>(path: string, name: 'ServerList' | 'ServerResponse'): Promise<Answer> {
    const answer = assertStatus(await anonymous().get<Answer & object>(path), 200);
    const valid = asAnswer(name);
    assert(valid(answer), JSON.stringify(valid.errors));
    return answer;
  }

  const list = (query: Record<string, string>): Promise<List> =>
    official(`/v0.1/servers?${new URLSearchParams(query).toString()}`, 'ServerList');
  const nameOf = async (id: string): Promise<string> => {
    const [found] = (await list({ search: id })).servers;
    assert(found !== undefined);
    return encodeURIComponent(found.server.name);
  };

  before(async () => {
    owner = await buildOperator();
    const schema = JSON.parse(await readFile(new URL('./server.schema.json', import.meta.url), 'utf8')) as object;
    fits = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    ajv.addSchema(
      JSON.parse(await readFile(new URL('./answers.schema.json', import.meta.url), 'utf8')) as object,
      'answers.schema.json',
    );
  });

  it('answers without a credential what the schema of the registry takes', async () => {
    const skill = await publish(owner, { description: 'é'.repeat(500) });
    const { servers, metadata } = await list({ search: skill.name.toUpperCase() });
    assert.deepEqual([servers.length, metadata], [1, { count: 1 }]);
    const [found] = servers;
    assert(fits(found?.server), JSON.stringify(fits.errors));
    assert.equal(fits({ ...found?.server, name: 'no slash' }), false);
    const invalid = asAnswer('ServerResponse');
    for (const wrong of [{ status: 'gone' }, { publishedAt: 'yesterday' }, { published_at: '2026-11-21T12:00:00Z' }])
      assert.equal(invalid({ ...found, _meta: { [OFFICIAL]: wrong } }), false, JSON.stringify(wrong));
    assert.match(found?.server.name ?? '', new RegExp(`/${skill.id}$`));
    assert.match(found?.server.remotes[0]?.url ?? '', /\/mcp$/);
    assert.equal(found?.['_meta'][OFFICIAL].isLatest, true);
  });

  it('reads on by cursor, and refuses one of other filters', async () => {
    const word = unique('registered');
    const ids: string[] = [];
    for (const end of ['a', 'b', 'c']) ids.unshift((await publish(owner, { name: `${word}-${end}` })).id);
    const first = await list({ search: word, limit: '2' });
    const cursor = first.metadata.nextCursor ?? '';
    const second = await list({ search: word, limit: '2', cursor });
    const seen = [...first.servers, ...second.servers].map(({ server }) => server.name.split('/')[1]);
    assert.deepEqual(seen, ids);
    assert.equal(second.metadata.nextCursor, undefined);
    assertProblem(await anonymous().get(`/v0.1/servers?search=other&cursor=${cursor}`), 'INVALID_CURSOR');
  });

  it('finds by any part of the title, by the id and by the whole name, and by no other part of the id', async () => {
    const name = `${unique('q0z')}-Z`.toLowerCase();
    const { id } = await publish(owner, { name });
    const found = async (search: string) =>
      (await list({ search, limit: '100' })).servers
        .map(({ server }) => server.name as string)
        .filter((one) => one.endsWith(id));
    const [whole = ''] = await found(name);
    for (const search of ['q0', 'Q0Z', name.slice(2), name.slice(-2), id, id.toLowerCase(), whole, whole.toUpperCase()])
      assert.deepEqual(await found(search), [whole], search);
    for (const search of [id.slice(4), `${name}-`, `other/${id}`, 'q0%', 'q_z', "q0'", 'é', 'q'.repeat(200)])
      assert.deepEqual(await found(search), [], search);
    // All servers have what stands before their id.
    for (const search of [whole.split('/')[0] ?? '', 'skl_'])
      assert.equal((await list({ search, limit: '1' })).servers.length, 1);
  });

  it('filters by version and by the time of the last change', async () => {
    const { id, updated_at } = await publish(owner);
    const found = async (query: Record<string, string>) => (await list({ search: id, ...query })).servers.length;
    assert.equal(await found({ version: 'latest', updated_since: updated_at, include_deleted: 'true' }), 1);
    assert.equal(await found({ version: '99.0.0' }), 0);
    assert.equal(await found({ updated_since: '2999-01-01' }), 0);
  });

  it('shows the versions of a server, the newest as latest', async () => {
    const { id, version } = await publish(owner);
    const name = await nameOf(id);
    assertStatus(await owner.patch(`/v1/skills/${id}`, { version: '7.0.0' }), 200);
    assertStatus(await owner.patch(`/v1/skills/${id}`, { description: 'changed' }), 200);
    const { servers } = await official<List>(`/v0.1/servers/${name}/versions`, 'ServerList');
    assert.deepEqual(
      servers.map(({ server, _meta }) => [server.version, _meta[OFFICIAL].status, _meta[OFFICIAL].isLatest]),
      [
        ['7.0.0', 'active', true],
        [version, 'deprecated', false],
      ],
    );
    for (const { server } of servers) assert(fits(server));
    for (const [asked, answered] of [
      ['latest', '7.0.0'],
      ['7.0.0', '7.0.0'],
      [version, version],
    ] as const) {
      const path = `/v0.1/servers/${name}/versions/${asked}`;
      assert.equal((await official<Server>(path, 'ServerResponse')).server.version, answered);
    }
    assertProblem(await anonymous().get(`/v0.1/servers/${name}/versions/9.9.9`), 'NOT_FOUND');
    assertProblem(await anonymous().get(`/v0.1/servers/other%2F${id}/versions`), 'NOT_FOUND');
  });

  it('reads few revisions of a skill that has thousands, of one version or of many', async () => {
    const db = await database();
    const [one, many] = [await publish(owner), await publish(owner)] as const;
    for (const [id, version] of [
      [one.id, sql.fragment`r.version`],
      [many.id, sql.fragment`'1.0.' || nth`],
    ] as const) {
      await db.query(sql.type(z.object({}))`
        insert into skill_revisions (skill_id, revision, version, input_schema_hash, output_schema_hash, price_per_invocation)
        select r.skill_id, nth, ${version}, r.input_schema_hash, r.output_schema_hash, nth
        from skill_revisions r cross join generate_series(2, 6000) nth where r.skill_id = ${id} and r.revision = 1`);
      await db.query(sql.type(z.object({}))`
        update skills s set revision = r.revision, version = r.version from skill_revisions r where s.id = ${id} and r.skill_id = s.id and r.revision = 6000`);
    }
    await db.query(sql.type(z.object({}))`analyze skill_revisions`);
    const read = (work: (connection: CommonQueryMethods) => Promise<readonly { version: string }[]>) =>
      rowsRead(db, 'skill_revisions', async (connection) => assert((await work(connection)).length > 0));
    for (const { id } of [one, many]) {
      const most = { namespace: '', after: `${id}~`, limit: 1 };
      assert((await read((connection) => listServers(connection, most))) < 10);
      assert((await read((connection) => listServerVersions(connection, { id, version: 'latest', limit: 1 }))) < 10);
      assert((await read((connection) => listServerVersions(connection, { id, version: null, limit: 100 }))) < 3_100);
    }
    const name = await nameOf(many.id);
    const { servers } = assertStatus(await anonymous().get<List>(`/v0.1/servers/${name}/versions`), 200);
    assert.deepEqual(
      [servers.length, servers[0]?.server.version, servers[99]?.server.version],
      [100, '1.0.6000', '1.0.5901'],
    );
  });

  it('is a heavy read, with filters or without', () => {
    const [servers] = registryRoutes;
    for (const query of [{}, { search: 'a' }, { version: 'latest' }])
      assert.equal(servers?.isHeavy?.(query, undefined), true);
  });

  it('leaves out what is not on the market', async () => {
    const other = await buildOperator();
    const skills = [await publish(other), await publish(owner)] as const;
    const names = [await nameOf(skills[0].id), await nameOf(skills[1].id)];
    await suspend(other.operatorId);
    assertStatus(await owner.post(`/v1/skills/${skills[1].id}/unlist`), 200);
    for (const [at, { id }] of skills.entries()) {
      assert.deepEqual((await list({ search: id, include_deleted: 'true' })).servers, []);
      assertProblem(await anonymous().get(`/v0.1/servers/${names[at]}/versions/latest`), 'NOT_FOUND');
    }
  });
});

describe('namespaceOf', () => {
  for (const [address, namespace] of [
    ['https://carnet.example.com', 'com.example.carnet/'],
    ['http://[::1]:3000', '---1-/'],
  ] as const)
    it(`of ${address} is ${namespace}`, () => assert.equal(namespaceOf(address), namespace));
});
