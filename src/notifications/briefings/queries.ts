import { z } from 'zod';
import { json, textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { BriefingItems } from './schema.ts';

const Nothing = z.object({});

const StepRow = z.object({
  open: z.boolean(),
  wait_ms: z.number().nullable(),
  until: z.string().nullable(),
  items: json.pipe(BriefingItems),
});

export const advanceBriefingRow = (
  connection: CommonQueryMethods,
  operatorId: string,
): Promise<z.output<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_briefing(${operatorId})`);

/** People who are mailed in one round; an operator that has more mails those who have been there the longest. */
const MOST_PEOPLE = 100;

const PersonRow = z.object({
  id: z.string(),
  email: z.string(),
  /** They have turned off mails about work. */
  off: z.boolean(),
});

/** The owners and administrators of an operator, the oldest first. */
export const listBriefed = (
  connection: CommonQueryMethods,
  operatorId: string,
): Promise<readonly z.infer<typeof PersonRow>[]> =>
  connection.any(sql.type(PersonRow)`
    select id, email, exists (select from briefings_off where member_id = m.id) as off from memberships m
    where operator_id = ${operatorId} and joined and role in ('owner', 'admin') order by id limit ${MOST_PEOPLE}`);

/** The address of who is still invited; null: they have joined, or the invitation is gone. */
export const findInvited = (connection: CommonQueryMethods, memberId: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ email: z.string() }))`
    select email from memberships where id = ${memberId} and not joined`);

/** Whether an invitation may be mailed to this address now; it counts then. */
export const takeInvitationMail = (
  connection: CommonQueryMethods,
  operatorId: string,
  address: string,
): Promise<boolean> =>
  connection.oneFirst(
    sql.type(z.object({ taken: z.boolean() }))`select take_invitation_mail(${operatorId}, ${address}) as taken`,
  );

/** Deletes what the limits of invitations no longer count. @returns whether there may be more. */
export const purgeInvitationMails = async (connection: CommonQueryMethods): Promise<boolean> =>
  (await connection.oneFirst(sql.type(z.object({ purged: z.number() }))`select purge_invitation_mails() as purged`)) >=
  1_000;

/** Turns mails about work to a member off, or on again. @returns false: they are so already, or there is no such member. */
export async function saveBriefingsOff(
  connection: CommonQueryMethods,
  memberId: string,
  off: boolean,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    off
      ? sql.type(Nothing)`
          insert into briefings_off (member_id) select id from memberships where id = ${memberId} on conflict do nothing`
      : sql.type(Nothing)`delete from briefings_off where member_id = ${memberId}`,
  );
  return rowCount > 0;
}

export const areBriefingsOff = (connection: CommonQueryMethods, memberId: string): Promise<boolean> =>
  connection.oneFirst(
    sql.type(
      z.object({ off: z.boolean() }),
    )`select exists (select from briefings_off where member_id = ${memberId}) as off`,
  );

const DescribedRow = z.object({ id: z.string() });

export const describeBriefingRows = (
  connection: CommonQueryMethods,
  ids: string[],
): Promise<readonly z.infer<typeof DescribedRow>[]> =>
  connection.any(sql.type(DescribedRow)`
    select operator_id as id from operator_standings where operator_id = any(${textArray(ids)})`);
