import assert from 'node:assert/strict';
import { RE2JS } from 're2js';
import { door, PassportRefused, type DoorOptions } from '../../sdk/typescript/src/index.ts';
import { grant } from '../authority/support.ts';
import { delegate, issue, openHolder, type Holder } from '../passports/holders.ts';
import { eventually } from '../support/eventually.ts';
import { assertStatus, service } from '../support/service.ts';

const CONSTRAINTS = [
  { param: 'repository', op: 'prefix', value: 'ada/' },
  { param: 'limit', op: 'lte', value: 10 },
];
const GOOD = { repository: 'ada/site', limit: 3 };

const opened = (more: Partial<DoorOptions> = {}) =>
  door({ issuer: service().baseUrl, serviceId: 'github', scopes: ['read'], ...more });
const because = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'admitted',
    (error: unknown) => (error instanceof PassportRefused ? error.because : assert.fail(String(error))),
  );

describe('door of the SDK in TypeScript', () => {
  let holder: Holder;
  let token: string;
  before(async () => {
    holder = await openHolder();
    token = (await issue(holder)).token;
  });

  it('admits a passport, and says who shows it', async () => {
    const passport = await opened().admit(token);
    assert.equal(passport.svcns.agent_id, holder.agentId);
  });

  it('refuses what is none, with a word for the reason', async () => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const bent = `${signature.slice(0, 20)}${signature[20] === 'A' ? 'B' : 'A'}${signature.slice(21)}`;
    const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const foreign = Buffer.from('{"alg":"EdDSA","typ":"JWT","kid":"nobody"}').toString('base64url');
    assert.equal(await because(opened().admit(undefined)), 'missing');
    for (const wrong of [
      'x',
      'x.y.z',
      `${header}.${payload}.${bent}`,
      `${unsigned}.${payload}.`,
      `${foreign}.${payload}.${signature}`,
      'a'.repeat(20_000),
    ])
      assert.equal(await because(opened().admit(wrong)), 'invalid', wrong.slice(0, 40));
    const other = opened({
      issuer: `${service().baseUrl}/other`,
      fetch: () => fetch(`${service().baseUrl}/.well-known/jwks.json`),
    });
    assert.equal(await because(other.admit(token)), 'invalid');
  });

  it('refuses another service, another scope, another audience', async () => {
    assert.equal(await because(opened({ serviceId: 'jira' }).admit(token)), 'scope');
    assert.equal(await because(opened({ scopes: ['delete'] }).admit(token)), 'scope');
    assert.equal(await because(opened().admit(token, { scopes: ['delete'] })), 'scope');
    assert.equal(await because(opened({ audienceRequired: true }).admit(token)), 'audience');
    const meant = await issue(holder, { audience: ['github'] });
    assert.equal(await because(opened({ audienceRequired: true }).admit(meant.token)), 'admitted');
    assert.equal(await because(opened({ serviceId: 'slack' }).admit(meant.token)), 'audience');
  });

  it('holds a call to the constraints, and to each of them', async () => {
    const limited = await openHolder();
    await grant(
      limited.as,
      { agentId: limited.agentId, connectionId: limited.code.id },
      {
        constraints: [...CONSTRAINTS, { param: 'branch', op: 'regex', value: 'v[0-9]+' }],
      },
    );
    const passport = await issue(limited);
    const gate = opened({ matches: (pattern, text) => RE2JS.matches(pattern, text) });
    const outcome = (params: Record<string, unknown>) => because(gate.admit(passport.token, { params }));
    const good = { ...GOOD, branch: 'v12' };
    assert.equal(await outcome(good), 'admitted');
    for (const wrong of [
      { repository: 'eve/site' },
      { limit: 11 },
      { limit: '3' },
      { branch: 'v12\n' },
      { branch: 'xv12' },
    ])
      assert.equal(await outcome({ ...good, ...wrong }), 'constraint', JSON.stringify(wrong));
    assert.equal(await outcome({}), 'constraint');
    // Without an engine for them, patterns never hold.
    assert.equal(await because(opened().admit(passport.token, { params: good })), 'constraint');
  });

  it('refuses a passport that was revoked, and one delegated from it', async () => {
    const parent = await issue(holder);
    const child = await delegate(holder, parent);
    assert.equal(await because(opened().admit(child.token)), 'admitted');
    assertStatus(await holder.as.post('/v1/passports/revoke', { jti: parent.jti }), 200);
    // A list is a second old at most when it is fetched.
    const gate = await eventually('the list to have it', async () => {
      const fresh = opened();
      return (await because(fresh.admit(parent.token))) === 'revoked' && fresh;
    });
    assert.equal(await because(gate.admit(child.token)), 'revoked');
    // A token that is kept is checked for revocation all the same.
    assert.equal(await because(gate.admit(parent.token)), 'revoked');
  });

  it('fetches keys and list once for many calls', async () => {
    const asked: string[] = [];
    const counting: typeof fetch = (input, init) => {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname);
      return fetch(input, init);
    };
    const gate = opened({ fetch: counting });
    const other = (await issue(holder)).token;
    await Promise.all([gate.admit(token), gate.admit(other)]);
    for (let calls = 0; calls < 50; calls += 1) await gate.admit(calls % 2 === 0 ? token : other);
    const [keys, lists] = [/jwks/, /status-list/].map((what) => asked.filter((path) => what.test(path)).length);
    assert.equal(keys, 1);
    assert((lists ?? 0) <= 2, String(lists));
    // Strangers who make up keys cause no download each.
    const foreign = Buffer.from('{"alg":"EdDSA","typ":"JWT","kid":"nobody"}').toString('base64url');
    for (let calls = 0; calls < 20; calls += 1)
      await because(gate.admit(`${foreign}.${token.split('.').slice(1).join('.')}`));
    assert.equal(asked.filter((path) => path.includes('jwks')).length, 1);
  });

  it('admits nobody where the keys, or the list, cannot be had', async () => {
    const without =
      (what: RegExp, answer: () => Promise<Response>): typeof fetch =>
      (input, init) =>
        what.test(input as string) ? answer() : fetch(input, init);
    const down = () => Promise.reject(new TypeError('fetch failed'));
    const page = () => Promise.resolve(new Response('<h1>Sign in</h1>'));
    for (const answer of [down, page, () => Promise.resolve(new Response('', { status: 503 }))])
      for (const what of [/jwks/, /status-list/]) {
        const refused = await because(opened({ fetch: without(what, answer) }).admit(token));
        assert(refused !== 'admitted', `${what}`);
      }
    assert.equal(await because(opened({ fetch: without(/status-list/, down) }).admit(token)), 'unknown');
    assert.equal(await because(opened({ fetch: without(/jwks/, down) }).admit(token)), 'unknown');
  });
});
