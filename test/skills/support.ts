import type { ListedSkill, Skill } from '../../src/skills/schema.ts';
import { buildInvocation, publication, type TestOperator } from '../support/factories.ts';
import { assertStatus, platform, type Requester } from '../support/service.ts';

export const secret = 'return "the secret of the house";';

export const scriptStep = { type: 'script', label: 'first', runtime: 'javascript', script: secret };
export const llmStep = {
  type: 'llm',
  label: 'second',
  llm_provider: 'openai',
  llm_model: 'tiny-1',
  llm_config: { system_prompt: secret },
};

/** Sealed, with steps, waiting for review. */
export const sealedSkill = { execution_mode: 'sealed', execution_steps: [scriptStep, llmStep] };

/** Sealed; its step may be answered by the key of its seller. */
export const sellersSkill = {
  execution_mode: 'sealed',
  execution_steps: [llmStep],
  credential_mode: 'seller_provides',
  required_credentials: [{ provider: 'openai', scopes: [] }],
  seller_credential_limit: { max_calls: 5 },
};

export const publish = async (owner: Requester, overrides: Record<string, unknown> = {}): Promise<Skill> =>
  assertStatus(await owner.post<Skill>('/v1/skills', publication(overrides)), 201);

export const approve = async (id: string): Promise<Skill> =>
  assertStatus(await platform().post<Skill>(`/v1/skills/${id}/approve`), 200);

export const publishApproved = async (owner: Requester, overrides: Record<string, unknown> = {}): Promise<Skill> =>
  approve((await publish(owner, overrides)).id);

export interface SkillList {
  skills: ListedSkill[];
  total: number;
  limit: number;
  offset: number;
}

/** A free invocation of an open skill, completed by its owner. */
export async function complete(consumer: TestOperator, owner: Requester, skillId: string): Promise<string> {
  const { id } = await buildInvocation(consumer, skillId);
  assertStatus(await owner.post(`/v1/skills/invocations/${id}/claim`), 200);
  assertStatus(await owner.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'hello' } }), 200);
  return id;
}
