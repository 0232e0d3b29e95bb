import { buildAgent, buildAgentKey, buildOperator, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';

const REPORT = { services_used: [] as string[], actions_count: 1 };

describe('POST /v1/passports/:jti/checkpoint and /checkout', () => {
  let operator: TestOperator;
  let jti: string;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    const { id } = await buildAgent(operator, { accountability: 'enforced' });
    ({ jti } = assertStatus(await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: id }), 201));
  });

  for (const path of ['checkpoint', 'checkout'] as const) {
    it(`${path} requires authentication, and a credential of the operator`, async () => {
      assertProblem(await anonymous().post(`/v1/passports/${jti}/${path}`, REPORT), 'UNAUTHENTICATED');
      const key = await buildAgentKey(operator, (await buildAgent(operator)).id);
      assertProblem(await key.post(`/v1/passports/${jti}/${path}`, REPORT), 'OPERATOR_SCOPE_REQUIRED');
      assertProblem(await (await buildOperator()).post(`/v1/passports/${jti}/${path}`, REPORT), 'NOT_FOUND');
    });

    it(`${path} refuses a body that is not a report`, async () => {
      const refused = async (body: unknown, field: string): Promise<void> =>
        assertProblem(await operator.post(`/v1/passports/${jti}/${path}`, body), 'VALIDATION_ERROR', field);
      await refused({}, 'services_used');
      await refused({ services_used: 'github', actions_count: 1 }, 'services_used');
      await refused({ ...REPORT, services_used: [''] }, 'services_used.0');
      await refused({ services_used: [] }, 'actions_count');
      await refused({ ...REPORT, actions_count: -1 }, 'actions_count');
      await refused({ ...REPORT, tool_calls: [{ service: 'github' }] }, 'tool_calls.0.method');
      await refused({ ...REPORT, tool_calls: [{ service: 'github', method: 'x', args: {} }] }, 'tool_calls.0.args');
      await refused({ ...REPORT, delegated_to: [7] }, 'delegated_to.0');
      await refused({ ...REPORT, summary: 'x'.repeat(path === 'checkpoint' ? 1_001 : 2_001) }, 'summary');
      await refused({ ...REPORT, notes: 'x' }, 'notes');
    });
  }
});
