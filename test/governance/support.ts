import { z } from 'zod';
import { runCommand } from '../../src/commands/run.ts';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { jsonObject } from '../../src/fields/objects.ts';
import { route, type AnyRoute } from '../../src/http/route.ts';
import { assertProblem, assertStatus, database, platform, type Reply, type Requester } from '../support/service.ts';

const shared = {
  tag: 'governance',
  summary: 'A governed act of the tests',
  audience: 'operator',
  params: z.object({ id: z.string() }),
  body: jsonObject,
  status: 200,
  reply: z.object({ done: z.literal(true) }),
  refusals: ['GOVERNANCE_APPROVAL_REQUIRED'],
} as const;

/** The subject of the governed acts of the tests; a test may change it. */
export const subject = { state: 'as it was' };

/** Two governed acts whose only effect is an audit event. */
export const governed: AnyRoute[] = [
  route({
    ...shared,
    method: 'post',
    path: '/v1/governed/:id',
    operation: 'postGoverned',
    handler: ({ context, call }) =>
      runCommand(context, call, async (unit) => {
        const refused = await context.requireApproval(unit, call, { act: 'agent.unblocked', subject });
        if (refused !== null) return refused;
        await unit.audit('test.governed', 'test');
        return { status: 200, body: { done: true as const } };
      }),
  }),
  route({
    ...shared,
    method: 'put',
    path: '/v1/governed/:id',
    operation: 'putGoverned',
    handler: ({ context, call }) =>
      runCommand(
        context,
        call,
        async (unit) =>
          (await context.requireApproval(unit, call, { act: 'agent.unblocked', subject: null })) ?? {
            status: 200,
            body: { done: true as const },
          },
      ),
  }),
];

interface Refused {
  approval_id: string;
  approval_url: string;
  expires_at: string;
  approval_status?: string;
}

/** The members of a GOVERNANCE_APPROVAL_REQUIRED refusal. */
export const refusedWith = (reply: Reply): Refused => reply.body as unknown as Refused;

export const withApproval = (id: string) => ({ 'x-governance-approval': id });

/** Approves in a dashboard session. */
export const approve = (person: Requester, id: string): Promise<Reply> =>
  person.post(`/v1/governance/approvals/${id}/approve`);

/** Requests it with the platform's key, has this person of the platform approve it, and makes the request again. */
export async function postApproved<Body>(
  person: Requester,
  path: string,
  { body, headers }: { body: object; headers?: Record<string, string> },
): Promise<Reply<Body>> {
  const refused = await platform().post(path, body);
  assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
  const { approval_id: id } = refusedWith(refused);
  assertStatus(await approve(person, id), 200);
  return platform().post<Body>(path, body, { ...headers, ...withApproval(id) });
}

/** Approves by hand, as an owner of the operator, who is made where it has none; in the suite's database by default. */
export async function approveByHand(id: string, db?: CommonQueryMethods): Promise<void> {
  await (db ?? (await database())).query(sql.type(z.object({}))`
    with there as (
      select m.id from members m join governance_approvals a using (operator_id)
      where a.id = ${id} and m.role = 'owner' and m.joined_at is not null limit 1
    ), made as (
      insert into members (id, operator_id, email, role, joined_at)
      select ${newId('mem')}, operator_id, id || '@example.test', 'owner', clock_timestamp() from governance_approvals
      where id = ${id} and not exists (select from there) returning id
    )
    update governance_approvals set status = 'approved', decided_at = clock_timestamp(),
      decided_by = coalesce((select id from there), (select id from made))
    where id = ${id}`);
}

/** Makes an approval expire now, or so many seconds ago. */
export async function expire(id: string, secondsAgo = 0): Promise<void> {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    update governance_approvals set expires_at = clock_timestamp() - make_interval(secs => ${secondsAgo}) where id = ${id}`);
}

/** Lists the status of every approval that is kept of the operator. */
export async function statusesOf(operatorId: string): Promise<readonly string[]> {
  const pool = await database();
  return pool.anyFirst(sql.type(z.object({ status: z.string() }))`
    select status from governance_approvals where operator_id = ${operatorId}`);
}

/** Makes so many requests of others wait for a person. */
export async function fillApprovals(operatorId: string, count: number): Promise<void> {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    insert into governance_approvals (id, operator_id, action, method, path, body_digest, subject_digest, body, requested_by, expires_at)
    select new_prefixed_id('apr'), ${operatorId}, 'agent.unblocked', 'POST', '/fill/' || n, '', '', '', 'oauth:' || n, clock_timestamp() + interval '1 day'
    from generate_series(1, ${count}) as n`);
}

/** How often the governed act was done for this operator. */
export async function timesDone(operatorId: string): Promise<number> {
  const pool = await database();
  return pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from audit_events where operator_id = ${operatorId} and action = 'test.governed'`);
}
