import type { Answered, CommandCall } from '../commands/command.ts';
import { runKeptCommand, type KeptPart } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { newId } from '../ids/ids.ts';
import { checkSchemas } from '../skills/index.ts';
import { findSkillRequest, insertSkillRequest, lockSkillRequest, saveSkillRequest } from './queries.ts';
import type { PostSkillRequest, SkillRequest, UpdateSkillRequest } from './schema.ts';

type KeptRequest = Omit<SkillRequest, 'desired_input_schema' | 'desired_output_schema'>;

/** Under an Idempotency-Key a request is kept without its schemas, which have 128 KiB at most and never change. */
const keptRequest: KeptPart<SkillRequest, KeptRequest> = {
  reduce: ({ desired_input_schema: _input, desired_output_schema: _output, ...request }) => request,
  async restore(connection, request) {
    const row = await findSkillRequest(connection, request.id);
    assertThat(row, () => notFound('skill request'));
    const { desired_input_schema, desired_output_schema } = row;
    return { ...request, desired_input_schema, desired_output_schema };
  },
};

/** @throws CarnetError VALIDATION_ERROR for a schema that would be refused of a skill as well. */
export async function postSkillRequest(
  context: Context,
  call: CommandCall,
  body: PostSkillRequest,
): Promise<Answered<SkillRequest>> {
  const { desired_input_schema, desired_output_schema } = body;
  await checkSchemas(context, call.caller, { desired_input_schema, desired_output_schema });
  const id = newId('rqt');
  return await runKeptCommand<SkillRequest, KeptRequest>(context, call, {
    kept: keptRequest,
    work: async ({ connection, audit }) => {
      const posted = await insertSkillRequest(connection, { id, operatorId: call.caller.operatorId, body });
      await audit('skill_request.posted', id, { tags: body.tags });
      return { status: 201, body: posted, location: `/v1/skill-requests/${id}` };
    },
  });
}

/** @throws CarnetError NOT_FOUND */
export async function readSkillRequest(context: Context, id: string): Promise<SkillRequest> {
  const skillRequest = await findSkillRequest(context.pool, id);
  assertThat(skillRequest, () => notFound('skill request'));
  return skillRequest;
}

/** @throws CarnetError NOT_FOUND, NOT_OWNER */
export const updateSkillRequest = (
  context: Context,
  call: CommandCall,
  { id, body }: { id: string; body: UpdateSkillRequest },
): Promise<Answered<SkillRequest>> =>
  runKeptCommand<SkillRequest, KeptRequest>(context, call, {
    kept: keptRequest,
    work: async ({ connection, audit }) => {
      const before = await lockSkillRequest(connection, id);
      assertThat(before, () => notFound('skill request'));
      assertThat(
        before.operator_id === call.caller.operatorId,
        () => new CarnetError('NOT_OWNER', 'Only the operator that posted the request may change it.'),
      );
      const after = await saveSkillRequest(connection, {
        ...before,
        status: body.status ?? before.status,
        description: body.description ?? before.description,
      });
      await audit('skill_request.updated', id, { from: before.status, to: after.status });
      return { status: 200, body: after };
    },
  });
