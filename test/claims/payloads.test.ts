import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../support/service.ts';
import { attestations } from './shapes/attestations.ts';
import { changed } from './shapes/changed.ts';
import { intents } from './shapes/intents.ts';
import { observations } from './shapes/observations.ts';
import { outcomes } from './shapes/outcomes.ts';
import type { Members, Shape } from './shapes/shape.ts';
import { digestOf, envelopeOf } from './support.ts';

const shapes = { ...attestations, ...intents, ...outcomes, ...observations };

/** A copy with the defaults of members that are missing where the object they belong to is there. */
function filledIn(payload: Members, defaults: Members): Members {
  const copy = structuredClone(payload);
  for (const [path, value] of Object.entries(defaults)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const owner = names.reduce<Members | undefined>((at, name) => at?.[name] as Members | undefined, copy);
    if (owner !== undefined) owner[last] ??= value;
  }
  return copy;
}

describe('POST /v1/claims, the shape of a payload', () => {
  let operator: TestOperator;
  const ajv = new Ajv2020({ strict: false });
  before(async () => {
    operator = await buildOperator();
  });

  const bodyOf = ({ type }: Shape, payload: unknown) => envelopeOf(operator, { claim_type: type, payload });

  for (const [name, shape] of Object.entries(shapes)) {
    describe(name, () => {
      const { type, required, optional = {}, defaults = {}, refused, taken = {} } = shape;
      const least = { type, ...required };
      const whole = { ...least, ...optional };
      let published: ValidateFunction;
      before(async () => {
        const { body } = await anonymous().get(`/v1/claims/schemas/${type}`);
        published = ajv.compile(body);
      });

      const takes = async (payload: Members): Promise<void> => {
        const body = bodyOf(shape, payload);
        const claim = assertStatus(await operator.post<Claim>('/v1/claims', body), 201);
        assert.deepEqual(claim.envelope, body);
        assert.deepEqual(claim.payload_effective, filledIn(payload, defaults));
        assert.equal(claim.schema, 'v1');
        assert.equal(claim.digest, digestOf(body));
        assert(published(payload), `the published schema: ${ajv.errorsText(published.errors)}`);
      };
      const refuses = async (payload: unknown, path: string): Promise<void> => {
        assertProblem(await operator.post('/v1/claims', bodyOf(shape, payload)), 'VALIDATION_ERROR', path);
        assert(!published(payload), `the published schema takes ${JSON.stringify(payload)}`);
      };

      it('is accepted with its required members, and defaults are filled in', () => takes(least));

      it('is accepted with all members', () => takes(whole));

      for (const member of Object.keys(least)) {
        it(`needs ${member}`, () => refuses(changed(whole, member, undefined), `payload.${member}`));
      }

      it('has no other members, and is of its own type', async () => {
        await refuses({ ...whole, surprise: 1 }, 'payload.surprise');
        await refuses({ ...whole, type: 'mission' }, 'payload.type');
      });

      it('refuses wrong values and names their place', async () => {
        for (const [path, values] of Object.entries(refused)) {
          for (const value of values) await refuses(changed(whole, path, value), `payload.${path}`);
        }
      });

      it('accepts what is allowed', async () => {
        for (const [path, values] of Object.entries(taken)) {
          for (const value of values) await takes(changed(whole, path, value));
        }
      });
    });
  }

  it('is tested for all fourteen types that have one', () => {
    assert.equal(new Set(Object.values(shapes).map(({ type }) => type)).size, 14);
  });

  it('is an object', async () => {
    for (const { type } of Object.values(shapes)) {
      for (const payload of [undefined, null, [], 'text', 1]) {
        assertProblem(
          await operator.post('/v1/claims', envelopeOf(operator, { claim_type: type, payload })),
          'VALIDATION_ERROR',
          // Which of six variants a payload without outcome_type was meant to be is unknown.
          type === 'intent_outcome' && payload !== undefined ? undefined : 'payload',
        );
      }
    }
  });
});
