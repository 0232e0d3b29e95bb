import { z } from 'zod';
import { sql } from '../database/pool.ts';
import type { RecordEvent } from '../context/ports.ts';

export const recordEvent: RecordEvent = async (connection, { operatorId, type, severity, payload }) => {
  await connection.query(sql.type(z.object({}))`
    select record_service_event(${operatorId}, ${type}, ${severity}, ${JSON.stringify(payload)}::json)`);
};
