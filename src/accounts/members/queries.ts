import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { MemberSchema, RoleSchema, type AddMember, type Member } from './schema.ts';

const columns = sql.fragment`
  id, operator_id, email, role, case when joined_at is null then 'invited' else 'joined' end as status, created_at`;
const Count = z.object({ count: z.number() });

interface NewMember extends AddMember {
  operatorId: OperatorId;
  /** false: they are invited. */
  joined: boolean;
  /** The credential with which the invitation ends; null: with none. */
  invitedBy: string | null;
}

export const insertMember = (
  connection: CommonQueryMethods,
  { operatorId, email, role, joined, invitedBy }: NewMember,
): Promise<Member> =>
  connection.one(sql.type(MemberSchema)`
    insert into members (id, operator_id, email, role, joined_at, invited_by, invited_line)
    values (${newId('mem')}, ${operatorId}, ${email}, ${role}, case when ${joined} then clock_timestamp() end, ${invitedBy},
      makers_behind(${invitedBy}))
    returning ${columns}`);

/** Deletes what a credential invited and nobody has accepted. @returns the ids of the invitations */
export const deleteInvitationsBy = (connection: CommonQueryMethods, credential: string): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    delete from members where invited_by = ${credential} and joined_at is null returning id`);

/** Makes somebody who is invited a member. @returns false where they are one already, or are gone. */
export const joinMember = async (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    update members set joined_at = clock_timestamp() where id = ${id} and joined_at is null returning id`)) !== null;

/** A member as its operator sees it; null where it is another's. */
export const findMember = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<Member | null> =>
  connection.maybeOne(
    sql.type(MemberSchema)`select ${columns} from members where id = ${id} and operator_id = ${operatorId}`,
  );

/** The addresses of those of these members that are of the operator, by id. */
export async function findMemberEmails(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.any(sql.type(z.object({ id: z.string(), email: z.string() }))`
    select id, email from members where operator_id = ${operatorId} and id = any(${textArray([...new Set(ids)])})`);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Newest first. */
export const listMembers = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly Member[]> =>
  connection.any(sql.type(MemberSchema)`
    select ${columns} from members where operator_id = ${operatorId} order by id desc limit ${limit} offset ${offset}`);

/** The owners and administrators, who have joined or are invited: each one that is added or deleted changes who decides. The oldest first. */
export const listDeciders = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<readonly Member[]> =>
  connection.any(sql.type(MemberSchema)`
    select ${columns} from members where operator_id = ${operatorId} and role <> 'member' order by id`);

export const countMembers = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(Count)`select count(*) from members where operator_id = ${operatorId}`);

const SeatsRow = z.object({ total: z.number().nullable(), ceiling: z.number().nullable(), in_use: z.number() });

/** Seats of an operator: `total` with bought ones, `ceiling` the most that the tier allows; null: no limit. */
export const seatsOf = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<z.infer<typeof SeatsRow>> =>
  connection.one(sql.type(SeatsRow)`
    select total, ceiling, count_members(operator_id) as in_use from operator_seats where operator_id = ${operatorId}`);

/** Those who have joined: somebody who is only invited decides nothing. */
export const countOwners = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(Count)`
    select count(*) from members where operator_id = ${operatorId} and role = 'owner' and joined_at is not null`);

/** Those who may decide for the operator. */
export const countAdministrators = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(Count)`
    select count(*) from members where operator_id = ${operatorId} and role <> 'member' and joined_at is not null`);

/** Their dashboard sessions are deleted too. */
export async function deleteMember(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`delete from members where id = ${id}`);
}

/** The member whose id or address an OAuth issuer has put into `sub`; it may write an address in another case. */
export const findMemberOfSubject = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  subject: string,
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from members where operator_id = ${operatorId} and joined_at is not null
      and (id = ${subject} or lower(email) = lower(${subject}))`);

const MembershipRow = z.object({
  id: z.string(),
  email: z.string(),
  role: RoleSchema,
  operator_id: z.string(),
  operator_name: z.string(),
  joined: z.boolean(),
  suspended: z.boolean(),
});
/** A person in the role that they have for one operator, or are invited to. */
export type Membership = z.infer<typeof MembershipRow>;

const memberships = sql.fragment`
  select id, email, role, operator_id, operator_name, joined, suspended from memberships`;

/** The memberships of the holder of this address, regardless of its case, and what they are invited to, the oldest first. */
export const membershipsOf = (connection: CommonQueryMethods, email: string): Promise<readonly Membership[]> =>
  connection.any(sql.type(MembershipRow)`${memberships} where lower(email) = lower(${email}) order by id`);

/** How many operators of the tier free the holder of this address owns, as far as `most`. */
export const countFreeOperators = (connection: CommonQueryMethods, email: string, most: number): Promise<number> =>
  connection.oneFirst(sql.type(Count)`
    select count(*) from (
      select from members m join operators o on o.id = m.operator_id
      where lower(m.email) = lower(${email}) and m.role = 'owner' and o.tier = 'free' limit ${most}) owned`);

export const findMembership = (connection: CommonQueryMethods, memberId: string): Promise<Membership | null> =>
  connection.maybeOne(sql.type(MembershipRow)`${memberships} where id = ${memberId}`);

/** The owner of an operator who has joined first. */
export const findFirstOwner = (connection: CommonQueryMethods, operatorId: string): Promise<Membership | null> =>
  connection.maybeOne(sql.type(MembershipRow)`
    ${memberships} where operator_id = ${operatorId} and role = 'owner' and joined order by id limit 1`);
