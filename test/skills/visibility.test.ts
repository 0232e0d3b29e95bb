import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Caller } from '../../src/commands/caller.ts';
import { sql } from '../../src/database/pool.ts';
import type { ApiKeyId, OperatorId } from '../../src/ids/ids.ts';
import { visibleTo } from '../../src/skills/status.ts';
import { database } from '../support/service.ts';

const callerOf = (operatorId: string): Caller => ({
  kind: 'operator',
  operatorId: operatorId as OperatorId,
  role: 'admin',
  platform: operatorId === 'op_platform',
  by: { kind: 'key', keyId: 'key_x' as ApiKeyId },
});

describe('who may see a skill', () => {
  const reviews = ['exempt', 'pending', 'approved', 'rejected', 'taken_down'] as const;
  for (const status of ['active', 'suspended', 'unlisted', 'pending_review'] as const) {
    for (const approved of [null, '2026-01-01T00:00:00.000Z']) {
      for (const operator of ['op_owner', 'op_other', 'op_platform']) {
        it(`is the same in SQL: ${status}, ${approved === null ? 'never' : 'once'} public, ${operator}`, async () => {
          const pool = await database();
          for (const review_status of reviews) {
            const skill = { operator_id: 'op_owner', status, review_status, approved_at: approved };
            const inSql = await pool.oneFirst(sql.type(z.object({ visible: z.boolean() }))`
              select skill_visible_to(jsonb_populate_record(null::skills, ${JSON.stringify(skill)}::jsonb), ${operator}) as visible`);
            assert.equal(visibleTo(callerOf(operator), skill), inSql, review_status);
          }
        });
      }
    }
  }
});
