import assert from 'node:assert/strict';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { buildAgent } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
import {
  claimsOf,
  delegate,
  issue,
  openHolder,
  payloadOf,
  refresh,
  tryDelegate,
  tryIssue,
  type Holder,
} from '../holders.ts';

/** The services at which it counts. */
const doorsOf = async ({ token }: SignedPassport): Promise<string[]> => {
  const doors: string[] = [];
  for (const service of ['github', 'slack', 'gitlab']) {
    const verdict = assertStatus(
      await anonymous().post<{ valid: boolean; reason?: string }>('/v1/passports/verify', {
        token,
        service_id: service,
      }),
      200,
    );
    if (verdict.valid) doors.push(service);
    else {
      const meant = audienceOf({ token })?.includes(service) ?? true;
      assert.equal(verdict.reason, meant ? 'service_not_in_scope' : 'wrong_audience');
    }
  }
  return doors;
};

const audienceOf = ({ token }: Pick<SignedPassport, 'token'>): string[] | undefined => payloadOf(token).aud;
const servicesOf = (passport: SignedPassport): string[] => claimsOf(passport).services.map(({ service_id: id }) => id);

describe('The audience of a passport', () => {
  let holder: Holder;
  let childId: string;
  beforeEach(async () => {
    holder = await openHolder();
    childId = (await buildAgent(holder.as)).id;
  });

  const scopes = (...of: ('code' | 'chat')[]) =>
    of.map((name) => ({ service_connection_id: holder[name].id, scopes: ['read'] }));
  const toChild = (body: Record<string, unknown>) => ({ child_agent_id: childId, ...body });

  it('is absent unless requested: every service of the passport accepts it', async () => {
    const passport = await issue(holder);
    assert.equal('aud' in payloadOf(passport.token), false);
    assert.deepEqual(await doorsOf(passport), ['github', 'slack']);
    const shown = assertStatus(await holder.as.get<Passport>(`/v1/passports/${passport.jti}`), 200);
    assert.equal(shown.audience, null);
  });

  it('is what only the services in it accept, no matter which scopes it has', async () => {
    const passport = await issue(holder, { scopes: scopes('code', 'chat'), audience: ['slack'] });
    assert.deepEqual([audienceOf(passport), servicesOf(passport)], [['slack'], ['github', 'slack']]);
    assert.deepEqual(await doorsOf(passport), ['slack']);
    const shown = assertStatus(await holder.as.get<Passport>(`/v1/passports/${passport.jti}`), 200);
    assert.deepEqual(shown.audience, ['slack']);
    const { audience } = assertStatus(
      await anonymous().post<{ audience: string[] }>('/v1/passports/verify', { token: passport.token }),
      200,
    );
    assert.deepEqual(audience, ['slack']);
  });

  it('limits what is signed where scopes are left out, so that no other grant is shown', async () => {
    const passport = await issue(holder, { audience: ['slack'] });
    assert.deepEqual([audienceOf(passport), servicesOf(passport)], [['slack'], ['slack']]);
  });

  it('is of services of the passport, else SCOPE_NOT_GRANTED', async () => {
    for (const [body, where] of [
      [{ audience: ['slack', 'gitlab'] }, 'audience.1'],
      [{ audience: ['github'], scopes: scopes('chat') }, 'audience.0'],
      [{ audience: ['github'], scopes: [] }, 'audience.0'],
      [{ audience: [holder.code.id] }, 'audience.0'],
    ] as const)
      assertProblem(await tryIssue(holder, body), 'SCOPE_NOT_GRANTED', where);
  });

  it('is a list of different texts, not an empty one', async () => {
    const { token } = await issue(holder);
    for (const [audience, where] of [
      ['slack', 'audience'],
      [[], 'audience'],
      [['slack', 'slack'], 'audience.1'],
      [[''], 'audience.0'],
      [null, 'audience'],
    ] as const) {
      assertProblem(await tryIssue(holder, { audience }), 'VALIDATION_ERROR', where);
      assertProblem(await tryDelegate(holder, token, { audience }), 'VALIDATION_ERROR', where);
    }
  });

  it('stays at a refresh, of the root and of a child', async () => {
    const root = await issue(holder, { scopes: scopes('code', 'chat'), audience: ['slack'] });
    const child = await delegate(holder, root, toChild({ scopes: scopes('chat') }));
    for (const passport of [root, child]) {
      const next = await refresh(holder, await refresh(holder, passport));
      assert.deepEqual([audienceOf(next), await doorsOf(next)], [['slack'], ['slack']]);
    }
    assert.equal(audienceOf(await refresh(holder, await issue(holder))), undefined);
  });

  it('is the same in the answer to a repeated call', async () => {
    const key = { 'idempotency-key': 'audience' };
    const body = { agent_id: holder.agentId, audience: ['slack'] };
    const once = assertStatus(await holder.as.post<SignedPassport>('/v1/passports/issue', body, key), 201);
    assert.deepEqual(assertStatus(await holder.as.post('/v1/passports/issue', body, key), 201), once);
    assert.deepEqual(audienceOf(once), ['slack']);
  });

  describe('of a child', () => {
    it('may begin at any hop', async () => {
      const child = await delegate(
        holder,
        await issue(holder),
        toChild({ scopes: scopes('code', 'chat'), audience: ['github'] }),
      );
      assert.deepEqual([audienceOf(child), await doorsOf(child)], [['github'], ['github']]);
    });

    it("is never wider than the parent's: left out it is the child's services, all within it", async () => {
      const root = await issue(holder, { audience: ['github', 'slack'] });
      const child = await delegate(holder, root, toChild({ scopes: scopes('chat') }));
      assert.deepEqual([audienceOf(child), await doorsOf(child)], [['slack'], ['slack']]);
      const narrowed = await delegate(holder, root, toChild({ scopes: scopes('code', 'chat'), audience: ['slack'] }));
      assert.deepEqual([audienceOf(narrowed), await doorsOf(narrowed)], [['slack'], ['slack']]);
      const nobody = await delegate(holder, narrowed, toChild({ scopes: [] }));
      assert.deepEqual([audienceOf(nobody), await doorsOf(nobody)], [[], []]);
      const body = toChild({ scopes: scopes('chat'), audience: ['github'] });
      assertProblem(await tryDelegate(holder, narrowed.token, body), 'SCOPE_ESCALATION', 'audience.0');
      assertProblem(await tryDelegate(holder, root.token, body), 'SCOPE_ESCALATION', 'audience.0');
      assertProblem(
        await tryDelegate(holder, nobody.token, body),
        'SCOPE_ESCALATION',
        'scopes.0.service_connection_id',
      );
    });

    it("has no service outside of the parent's audience", async () => {
      const root = await issue(holder, { scopes: scopes('code', 'chat'), audience: ['slack'] });
      for (const audience of [undefined, ['github'], ['slack']])
        assertProblem(
          await tryDelegate(holder, root.token, toChild({ scopes: scopes('chat', 'code'), audience })),
          'SCOPE_ESCALATION',
          'scopes.1.service_connection_id',
        );
    });
  });
});
