import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';
import type {
  AuthorityBinding,
  AuthorityBindingWithDocument as Whole,
} from '../../../src/authority/bindings/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import { inSeconds, otherJwk, publicJwk } from '../support.ts';

const path = '/v1/authority-bindings';
const digestOf = (document: unknown): string =>
  `sha256:${createHash('sha256')
    .update(canonicalize(document) ?? '')
    .digest('hex')}`;

const terms = (agentId: string, overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  agent_id: agentId,
  receiver_id: 'bank.example',
  receiver_profile_version_id: 'payments-1',
  expires_at: inSeconds(3_600),
  ...overrides,
});

/** Whether the binding counts, as the check of protected actions judges it. */
const isActive = async (bindingId: string, agentId: string): Promise<boolean> => {
  const pool = await database();
  return pool.oneFirst(sql.type(z.object({ active: z.boolean() }))`
    select authority_bindings_active(array[${bindingId}]::text[], ${agentId}) <> '{}' as active`);
};

describe('authority bindings', () => {
  let operator: TestOperator;
  let agent: { id: string };

  const bind = async (overrides: Record<string, unknown> = {}): Promise<Whole> =>
    assertStatus(await operator.post<Whole>(path, terms(agent.id, overrides)), 201);
  const read = async (id: string): Promise<Whole> => assertStatus(await operator.get<Whole>(`${path}/${id}`), 200);

  beforeEach(async () => {
    operator = await buildOperator();
    agent = await buildAgent(operator, { public_jwk: publicJwk });
  });

  describe('POST /v1/authority-bindings', () => {
    it('binds the agent with its key, and pins the document by its digest', async () => {
      const document = { limit_cents: 50_000, z: 1, a: ['ü', 1e21, null] };
      const given = terms(agent.id, { document });
      const reply = await operator.post<Whole>(path, given);
      const { id, claim_id: claimId, created_at: _at, ...binding } = assertStatus(reply, 201);
      assert.match(id, /^bnd_[0-9A-Z]{26}$/);
      assert.match(claimId, /^pc_[0-9A-Z]{26}$/);
      assert.equal(reply.headers.get('location'), `${path}/${id}`);
      assert.deepEqual(binding, {
        ...given,
        operator_id: operator.operatorId,
        key_thumbprint: await calculateJwkThumbprint(publicJwk),
        binding_version: 1,
        binding_digest: digestOf(document),
        status: 'active',
        revoked_at: null,
      });
      assert.deepEqual(await read(id), reply.body);
      assert(await isActive(id, agent.id));
    });

    it('pins its own terms where no document is sent', async () => {
      const given = terms(agent.id);
      const binding = assertStatus(await operator.post<Whole>(path, given), 201);
      assert.deepEqual(binding.document, { ...given, key_thumbprint: binding.key_thumbprint });
      assert.equal(binding.binding_digest, digestOf(binding.document));
    });

    it('records the terms, never the document, as a claim that its operator reads', async () => {
      const binding = await bind({ document: { mandate: 'between us' } });
      const reply = await operator.get<{ envelope: Record<string, unknown> }>(`/v1/claims/${binding.claim_id}`);
      const { issuer, subject, claim_type: type, payload } = assertStatus(reply, 200).envelope;
      assert.deepEqual([issuer, subject, type], ['op_platform', `carnet://agent/${agent.id}`, 'authority_binding']);
      assert.deepEqual(payload, {
        type: 'authority_binding',
        binding_id: binding.id,
        binding_version: 1,
        binding_digest: binding.binding_digest,
        operator_id: operator.operatorId,
        agent_id: agent.id,
        key_thumbprint: binding.key_thumbprint,
        receiver_id: binding.receiver_id,
        receiver_profile_version_id: binding.receiver_profile_version_id,
        expires_at: Math.floor(Date.parse(binding.expires_at) / 1_000),
      });
      assert(!reply.text.includes('between us'));
    });

    it('makes one binding for one Idempotency-Key', async () => {
      const [body, headers] = [terms(agent.id), { 'idempotency-key': unique('key') }];
      const first = assertStatus(await operator.post(path, body, headers), 201);
      assert.deepEqual(assertStatus(await operator.post(path, body, headers), 201), first);
      assert.equal(assertStatus(await operator.get(path), 200).total, 1);
    });

    it('is 409 INVALID_STATE for an agent without a key', async () => {
      const keyless = await buildAgent(operator);
      assertProblem(await operator.post(path, terms(keyless.id)), 'INVALID_STATE');
    });

    it('is 404 for an unknown agent and for another operator’s', async () => {
      const foreign = await buildAgent(await buildOperator(), { public_jwk: publicJwk });
      for (const agentId of ['ag_unknown', foreign.id]) {
        assertProblem(await operator.post(path, terms(agentId)), 'NOT_FOUND');
      }
    });

    for (const [fault, body, at] of [
      ['no agent', { agent_id: undefined }, 'agent_id'],
      ['no receiver', { receiver_id: undefined }, 'receiver_id'],
      ['no profile of the receiver', { receiver_profile_version_id: undefined }, 'receiver_profile_version_id'],
      ['no expiry', { expires_at: undefined }, 'expires_at'],
      ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      ['a receiver of 129 characters', { receiver_id: 'x'.repeat(129) }, 'receiver_id'],
      ['a document that is no object', { document: ['x'] }, 'document'],
      ['a document beyond 64 KiB', { document: { text: 'x'.repeat(65_536) } }, 'document'],
      ['an unknown property', { binding_version: 2 }, 'binding_version'],
    ] as const) {
      it(`refuses ${fault}`, async () => {
        assertProblem(await operator.post(path, terms(agent.id, body)), 'VALIDATION_ERROR', at);
      });
    }
  });

  describe('GET /v1/authority-bindings', () => {
    it("lists the operator's own, newest first, page by page, without documents", async () => {
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) ids.unshift((await bind()).id);
      const list = async (query: string): Promise<AuthorityBinding[]> => {
        const reply = await operator.get<{ authority_bindings: AuthorityBinding[]; total: number }>(`${path}${query}`);
        assert.equal(assertStatus(reply, 200).total, 3);
        return reply.body.authority_bindings;
      };
      const bindings = [...(await list('?limit=2')), ...(await list('?limit=2&offset=2'))];
      assert.deepEqual(
        bindings.map(({ id }) => id),
        ids,
      );
      const { document: _document, ...listed } = await read(ids[0] ?? '');
      assert.deepEqual(bindings[0], listed);
      assert.equal(assertStatus(await (await buildOperator()).get(path), 200).total, 0);
    });
  });

  describe('what makes a binding inactive', () => {
    const becomes = async (id: string, status: AuthorityBinding['status']): Promise<void> => {
      assert.equal((await read(id)).status, status);
      assert.equal(await isActive(id, agent.id), status === 'active');
    };

    it('another key of the agent, or none; the same key again makes it active again', async () => {
      const { id } = await bind();
      for (const [key, status] of [
        [otherJwk, 'key_changed'],
        [null, 'key_changed'],
        [publicJwk, 'active'],
      ] as const) {
        assertStatus(await operator.patch(`/v1/agents/${agent.id}`, { public_jwk: key }), 200);
        await becomes(id, status);
      }
    });

    it('its expiry, by the clock of Postgres', async () => {
      const { id } = await bind();
      const pool = await database();
      await pool.query(sql.type(z.object({}))`
        update authority_bindings set expires_at = clock_timestamp() - interval '1 millisecond' where id = ${id}`);
      await becomes(id, 'expired');
    });

    it('its revocation, no matter what happened before', async () => {
      const { id } = await bind();
      assertStatus(await operator.post(`${path}/${id}/revoke`), 200);
      assertStatus(await operator.patch(`/v1/agents/${agent.id}`, { public_jwk: otherJwk }), 200);
      await becomes(id, 'revoked');
    });

    it('being used by another agent', async () => {
      const { id } = await bind();
      const twin = await buildAgent(operator, { public_jwk: publicJwk });
      assert.equal(await isActive(id, twin.id), false);
      assert.equal(await isActive('bnd_unknown', agent.id), false);
    });
  });

  describe('POST /v1/authority-bindings/:id/revoke', () => {
    it('revokes once, and gives the same answer again', async () => {
      const made = await bind();
      const replies = await Promise.all([1, 2, 3].map(() => operator.post<Whole>(`${path}/${made.id}/revoke`)));
      const [first, ...others] = replies.map((reply) => assertStatus(reply, 200));
      assert.equal(typeof first?.revoked_at, 'string');
      assert.deepEqual(first, { ...made, status: 'revoked', revoked_at: first?.revoked_at });
      for (const other of others) assert.deepEqual(other, first);
    });

    it('revokes the claim that records it, which would otherwise confirm it', async () => {
      const { id, claim_id: claimId } = await bind();
      const claim = async () => assertStatus(await operator.get(`/v1/claims/${claimId}`), 200);
      assert.equal((await claim()).revoked_at, null);
      assertStatus(await operator.post(`${path}/${id}/revoke`), 200);
      const { revoked_at: revokedAt, revoke_reason: reason } = await claim();
      assert.deepEqual([typeof revokedAt, reason], ['string', 'Authority binding revoked']);
    });
  });

  describe('authority bindings of others', () => {
    it('are 404 with the same words as unknown ones, and stay unchanged', async () => {
      const { id } = await bind();
      const other = await buildOperator();
      for (const call of [
        (bindingId: string) => other.get(`${path}/${bindingId}`),
        (bindingId: string) => other.post(`${path}/${bindingId}/revoke`),
      ]) {
        const foreign = await call(id);
        assertProblem(foreign, 'NOT_FOUND');
        assert.equal(foreign.body.detail, (await call('bnd_unknown')).body.detail);
      }
      assert.equal((await read(id)).status, 'active');
    });
  });
});
