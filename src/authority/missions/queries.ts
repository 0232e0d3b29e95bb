import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { MissionId, OperatorId } from '../../ids/ids.ts';
import { MissionSchema, type Mission } from './schema.ts';

const columns = sql.fragment`
  id, operator_id, agent_id, declared_intent, mission_status(completed_at, expires_at) as status, claim_id, expires_at,
  completed_at, created_at`;

/** A mission as its operator sees it; null where it is another's. */
interface MissionOfOperator {
  operatorId: OperatorId;
  missionId: string;
}

export const findMission = (
  connection: CommonQueryMethods,
  { operatorId, missionId }: MissionOfOperator,
): Promise<Mission | null> =>
  connection.maybeOne(
    sql.type(MissionSchema)`select ${columns} from missions where id = ${missionId} and operator_id = ${operatorId}`,
  );

/** Newest first. */
export const listMissions = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly Mission[]> =>
  connection.any(sql.type(MissionSchema)`
    select ${columns} from missions where operator_id = ${operatorId}
    order by id desc limit ${limit} offset ${offset}`);

export const countMissions = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ count: z.number() }))`select count(*) from missions where operator_id = ${operatorId}`,
  );

export const insertMission = (
  connection: CommonQueryMethods,
  made: { id: MissionId } & Pick<Mission, 'operator_id' | 'agent_id' | 'declared_intent' | 'claim_id' | 'expires_at'>,
): Promise<Mission> =>
  connection.one(sql.type(MissionSchema)`
    insert into missions (id, operator_id, agent_id, declared_intent, claim_id, expires_at)
    values (${made.id}, ${made.operator_id}, ${made.agent_id}, ${made.declared_intent}, ${made.claim_id},
            ${made.expires_at}::timestamptz)
    returning ${columns}`);

/** Completes a mission. @returns null where it is not active, or another operator's. */
export const completeMissionRow = (
  connection: CommonQueryMethods,
  { operatorId, missionId }: MissionOfOperator,
): Promise<Mission | null> =>
  connection.maybeOne(sql.type(MissionSchema)`
    update missions set completed_at = clock_timestamp()
    where id = ${missionId} and operator_id = ${operatorId} and mission_status(completed_at, expires_at) = 'active'
    returning ${columns}`);
