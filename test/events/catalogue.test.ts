import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { textArray } from '../../src/database/columns.ts';
import { sql } from '../../src/database/pool.ts';
import { eventDefinitions, optionalEventTypes, standardEventTypes } from '../../src/events/types.ts';
import { buildOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../support/service.ts';

interface Entry {
  event_type: string;
  severities: string[];
  optional: boolean;
  payload_schema: Record<string, unknown>;
  sample: { event_type: string; severity: string; payload: unknown; timestamp: string };
}

describe('GET /v1/notifications/event-types', () => {
  const PATH = '/v1/notifications/event-types';

  it('requires authentication', async () => {
    assertProblem(await anonymous().get(PATH), 'UNAUTHENTICATED');
  });

  it('lists every event that a rule can name, each with a sample that fits its schema', async () => {
    const { event_types: types } = assertStatus(await (await buildOperator()).get<{ event_types: Entry[] }>(PATH), 200);
    assert.deepEqual(
      types.map(({ event_type: type }) => type).toSorted(),
      [...standardEventTypes, ...optionalEventTypes].toSorted(),
    );
    for (const { event_type: type, severities, payload_schema: schema, sample } of types) {
      assert.equal(sample.event_type, type);
      assert(severities.includes(sample.severity), type);
      const check = new Ajv2020().compile(schema);
      assert(check(sample.payload), `${type}: ${JSON.stringify(check.errors)}`);
      assert.equal(new Date(sample.timestamp).toISOString(), sample.timestamp);
    }
    assert.deepEqual(
      types.filter(({ optional }) => optional).map(({ event_type: type }) => type),
      optionalEventTypes,
    );
  });
});

describe('The kinds of events', () => {
  it('have the four of a rule without events, and samples that fit', () => {
    assert.deepEqual(standardEventTypes.toSorted(), [
      'agent.blocked',
      'passport.blocked',
      'passport.flagged',
      'passport.missed_checkout',
    ]);
    for (const { payload, sample } of Object.values(eventDefinitions)) payload.strict().parse(sample);
  });

  it('that are optional are the same in SQL', async () => {
    const pool = await database();
    assert.equal(
      await pool.oneFirst(
        sql.type(z.object({ same: z.boolean() }))`
          select optional_event_types() = ${textArray(optionalEventTypes)} as same`,
      ),
      true,
    );
  });
});

describe('docs/events.md', () => {
  it('has a line of every event that a rule can name', async () => {
    const page = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
    const lines = Object.entries(eventDefinitions)
      .filter(([, { subscription }]) => subscription !== 'none')
      .map(([type, { subscription, severities, description }]) => {
        const optional = subscription === 'optional' ? ' (optional)' : '';
        return `| \`${type}\`${optional} | ${severities.join(', ')} | ${description} |`;
      });
    assert(page.includes(`${lines.join('\n')}\n<!-- end of table -->`), lines.join('\n'));
  });
});
