import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { MemberSchema, RoleSchema, type AddMember, type Member } from './schema.ts';

const columns = sql.fragment`id, operator_id, email, role, created_at`;
const Count = z.object({ count: z.number() });

export const insertMember = (
  connection: CommonQueryMethods,
  { operatorId, email, role }: AddMember & { operatorId: OperatorId },
): Promise<Member> =>
  connection.one(sql.type(MemberSchema)`
    insert into members (id, operator_id, email, role) values (${newId('mem')}, ${operatorId}, ${email}, ${role})
    returning ${columns}`);

/** A member as its operator sees it; null where it is another's. */
export const findMember = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<Member | null> =>
  connection.maybeOne(
    sql.type(MemberSchema)`select ${columns} from members where id = ${id} and operator_id = ${operatorId}`,
  );

/** Newest first. */
export const listMembers = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly Member[]> =>
  connection.any(sql.type(MemberSchema)`
    select ${columns} from members where operator_id = ${operatorId} order by id desc limit ${limit} offset ${offset}`);

export const countMembers = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(Count)`select count(*) from members where operator_id = ${operatorId}`);

const SeatsRow = z.object({ total: z.number().nullable(), ceiling: z.number().nullable(), in_use: z.number() });

/** Seats of an operator: `total` with bought ones, `ceiling` the most that the tier allows; null: no limit. */
export const seatsOf = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<z.infer<typeof SeatsRow>> =>
  connection.one(sql.type(SeatsRow)`
    select total, ceiling, count_members(operator_id) as in_use from operator_seats where operator_id = ${operatorId}`);

export const countOwners = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(
    sql.type(Count)`select count(*) from members where operator_id = ${operatorId} and role = 'owner'`,
  );

/** Those who may decide for the operator. */
export const countAdministrators = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(
    sql.type(Count)`select count(*) from members where operator_id = ${operatorId} and role <> 'member'`,
  );

/** Their dashboard sessions are deleted too. */
export async function deleteMember(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`delete from members where id = ${id}`);
}

const MembershipRow = z.object({
  id: z.string(),
  email: z.string(),
  role: RoleSchema,
  operator_id: z.string(),
  operator_name: z.string(),
  suspended: z.boolean(),
});
/** A person in the role that they have for one operator. */
export type Membership = z.infer<typeof MembershipRow>;

const memberships = sql.fragment`
  select id, email, role, operator_id, operator_name, suspended from memberships`;

/** The memberships of the holder of this address, whatever its case, the oldest first. */
export const membershipsOf = (connection: CommonQueryMethods, email: string): Promise<readonly Membership[]> =>
  connection.any(sql.type(MembershipRow)`${memberships} where lower(email) = lower(${email}) order by id`);

export const findMembership = (connection: CommonQueryMethods, memberId: string): Promise<Membership | null> =>
  connection.maybeOne(sql.type(MembershipRow)`${memberships} where id = ${memberId}`);
