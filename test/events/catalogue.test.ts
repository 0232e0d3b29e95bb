import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { textArray } from '../../src/database/columns.ts';
import { sql } from '../../src/database/pool.ts';
import { briefedEventTypes, eventDefinitions, optionalEventTypes, standardEventTypes } from '../../src/events/types.ts';
import { buildOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../support/service.ts';

interface Entry {
  event_type: string;
  severities: string[];
  optional: boolean;
  for_rules: boolean;
  payload_schema: Record<string, unknown>;
  sample: { event_type: string; severity: string; payload: unknown; timestamp: string };
}

describe('GET /v1/notifications/event-types', () => {
  const PATH = '/v1/notifications/event-types';

  it('requires authentication', async () => {
    assertProblem(await anonymous().get(PATH), 'UNAUTHENTICATED');
  });

  it('lists every event, and which of them a rule can name, each with a sample that fits its schema', async () => {
    const { event_types: types } = assertStatus(await (await buildOperator()).get<{ event_types: Entry[] }>(PATH), 200);
    const named = types.filter(({ for_rules }) => for_rules).map(({ event_type: type }) => type);
    assert.deepEqual(named.toSorted(), [...standardEventTypes, ...briefedEventTypes, ...optionalEventTypes].toSorted());
    const alone = types.filter(({ for_rules }) => !for_rules).map(({ event_type: type }) => type);
    assert.deepEqual(alone, ['notification.test', 'destination.verification']);
    for (const { event_type: type, severities, payload_schema: schema, sample } of types) {
      assert.equal(sample.event_type, type);
      assert(severities.includes(sample.severity), type);
      const check = new Ajv2020().compile(schema);
      assert(check(sample.payload), `${type}: ${JSON.stringify(check.errors)}`);
      assert.equal(new Date(sample.timestamp).toISOString(), sample.timestamp);
    }
    const { sample } = types.find(({ event_type: type }) => type === 'passport.flagged') ?? assert.fail();
    const { flags } = sample.payload as { flags: { severity: string }[] };
    assert.deepEqual(
      flags.map(({ severity }) => severity),
      [sample.severity],
      'a session is flagged as severely as its worst flag',
    );
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
  it('has a line of every event', async () => {
    const page = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
    const marks = { standard: '', briefed: ' (mailed)', optional: ' (optional)', none: ' (no rule)' };
    const lines = Object.entries(eventDefinitions).map(
      ([type, { subscription, severities, description }]) =>
        `| \`${type}\`${marks[subscription]} | ${severities.join(', ')} | ${description} |`,
    );
    assert(page.includes(`${lines.join('\n')}\n<!-- end of table -->`), lines.join('\n'));
  });
});
