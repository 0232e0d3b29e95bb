import { buildInvocation, buildOperator, type TestOperator } from '../../support/factories.ts';
import { assertProblem } from '../../support/service.ts';
import { publishApproved, sealedSkill } from '../../skills/support.ts';

describe('what a provider does with an invocation that the service executes', () => {
  let provider: TestOperator;
  let id: string;
  before(async () => {
    provider = await buildOperator();
    const skill = await publishApproved(provider, {
      ...sealedSkill,
      execution_steps: [{ type: 'script', label: 'only', runtime: 'javascript', script: 'main = (input) => input' }],
    });
    ({ id } = await buildInvocation(await buildOperator({ cents: 100 }), skill.id));
  });

  for (const [verb, body] of [
    ['claim', undefined],
    ['complete', { output: {} }],
    ['fail', { error: { code: 'NO', message: 'no' } }],
    ['heartbeat', undefined],
  ] as const) {
    it(`is refused: ${verb}`, async () =>
      assertProblem(await provider.post(`/v1/skills/invocations/${id}/${verb}`, body), 'SERVICE_EXECUTED'));
  }
});
