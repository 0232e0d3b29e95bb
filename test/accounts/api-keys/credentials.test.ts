import { buildAgent, buildAgentKey, buildMemberKey, buildOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, type Reply, type Requester } from '../../support/service.ts';

type Call = (as: Requester) => Promise<Reply>;

type Endpoint = [line: string, audience: 'operator' | 'admin' | 'platform', call: Call];

/**
 * Every endpoint of accounts and who may call it. operator: no agents; admin: no members either; platform: no
 * operators.
 */
const endpoints: Endpoint[] = [
  ['POST /v1/operators', 'platform', (as) => as.post('/v1/operators', { name: 'x', email: 'x@example.test' })],
  ['GET /v1/operators/me', 'operator', (as) => as.get('/v1/operators/me')],
  ['PATCH /v1/operators/me', 'operator', (as) => as.patch('/v1/operators/me', { name: 'x' })],
  ['POST /v1/api-keys', 'admin', (as) => as.post('/v1/api-keys', { name: 'x', kind: 'operator' })],
  ['GET /v1/api-keys', 'admin', (as) => as.get('/v1/api-keys')],
  ['DELETE /v1/api-keys/:id', 'admin', (as) => as.delete('/v1/api-keys/key_unknown')],
  ['POST /v1/agents', 'operator', (as) => as.post('/v1/agents', { name: 'x' })],
  ['GET /v1/agents', 'operator', (as) => as.get('/v1/agents')],
  ['GET /v1/agents/:id', 'operator', (as) => as.get('/v1/agents/ag_unknown')],
  ['PATCH /v1/agents/:id', 'operator', (as) => as.patch('/v1/agents/ag_unknown', { name: 'x' })],
  ['POST /v1/agents/:id/unblock', 'admin', (as) => as.post('/v1/agents/ag_unknown/unblock')],
  ...['service-connections', 'missions', 'authority-bindings'].flatMap((name): Endpoint[] => [
    [`POST /v1/${name}`, 'operator', (as) => as.post(`/v1/${name}`, {})],
    [`GET /v1/${name}`, 'operator', (as) => as.get(`/v1/${name}`)],
    [`GET /v1/${name}/:id`, 'operator', (as) => as.get(`/v1/${name}/unknown`)],
  ]),
  ['PATCH /v1/service-connections/:id', 'operator', (as) => as.patch('/v1/service-connections/con_unknown', {})],
  ['DELETE /v1/service-connections/:id', 'operator', (as) => as.delete('/v1/service-connections/con_unknown')],
  ['POST /v1/missions/:id/complete', 'operator', (as) => as.post('/v1/missions/ms_unknown/complete')],
  ['POST /v1/authority-bindings/:id/revoke', 'operator', (as) => as.post('/v1/authority-bindings/bnd_x/revoke')],
  ['GET /v1/agents/:id/grants', 'operator', (as) => as.get('/v1/agents/ag_unknown/grants')],
  ...(['get', 'put', 'delete'] as const).map((method): Endpoint => [
    `${method.toUpperCase()} /v1/agents/:id/grants/:service_connection_id`,
    'operator',
    (as) => as[method]('/v1/agents/ag_unknown/grants/con_unknown'),
  ]),
  ['POST /v1/identity-claims', 'platform', (as) => as.post('/v1/identity-claims', {})],
  ['GET /v1/identity-claims', 'operator', (as) => as.get('/v1/identity-claims')],
  ['DELETE /v1/identity-claims/:id', 'platform', (as) => as.delete('/v1/identity-claims/idc_unknown')],
  ['GET /v1/audit-events', 'admin', (as) => as.get('/v1/audit-events')],
  ['PATCH /v1/admin/operators/:id', 'platform', (as) => as.patch('/v1/admin/operators/op_unknown', { tier: 'pro' })],
  [
    'POST /v1/admin/operators/:id/adjustments',
    'platform',
    (as) => as.post('/v1/admin/operators/op_unknown/adjustments', { amount_cents: 1, description: 'x' }),
  ],
];

describe('credentials of the accounts endpoints', () => {
  let operator: Requester;
  let member: Requester;
  let agent: Requester;

  before(async () => {
    operator = await buildOperator();
    member = await buildMemberKey(operator);
    agent = await buildAgentKey(operator, (await buildAgent(operator)).id);
  });

  for (const [line, audience, call] of endpoints) {
    describe(line, () => {
      it('requires authentication', async () => {
        assertProblem(await call(anonymous()), 'UNAUTHENTICATED');
      });

      if (audience === 'platform') {
        it('is 403 ADMIN_REQUIRED for an operator, even for its admin', async () => {
          assertProblem(await call(operator), 'ADMIN_REQUIRED');
        });
      } else {
        it('is 403 AGENT_CREDENTIAL_FORBIDDEN for an agent', async () => {
          assertProblem(await call(agent), 'AGENT_CREDENTIAL_FORBIDDEN');
        });
      }

      if (audience === 'admin') {
        it('is 403 ADMIN_REQUIRED for a member', async () => {
          assertProblem(await call(member), 'ADMIN_REQUIRED');
        });
      }
    });
  }
});
