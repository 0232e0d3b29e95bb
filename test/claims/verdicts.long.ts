import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { z } from 'zod';
import { EnvelopeSchema } from '../../src/claims/schema/envelope.ts';
import { payloadSchemas, SHAPELESS_TYPES } from '../../src/claims/schema/payloads.ts';
import { anonymous, assertStatus } from '../support/service.ts';
import { attestations } from './shapes/attestations.ts';
import { changed } from './shapes/changed.ts';
import { intents } from './shapes/intents.ts';
import { observations } from './shapes/observations.ts';
import { outcomes } from './shapes/outcomes.ts';
import type { Members, Shape } from './shapes/shape.ts';

const shapes = { ...attestations, ...intents, ...outcomes, ...observations };

/** Values of each kind, and those at the edges of kinds; undefined: the member is left out. */
// oxfmt-ignore
const anything: unknown[] = [
  undefined, null, true, false, 0, -0, 1, -1, 0.5, 1e21, 2 ** 53, -(2 ** 53), Number.MAX_SAFE_INTEGER,
  '', ' ', 'text', 'a\n', 'é', '😀'.repeat(600), 'pc_1', 'pc_1\n', 'ag_1', 'ms_1', 'a0'.repeat(32), '://', 'a:b:c',
  [], {}, [null], [''], { a: 'b' }, { a: 1 }, { toString: 'x', constructor: 'y' }, ['pc_1', 'pc_1'],
];

interface Change {
  path: string;
  value: unknown;
}

/** Changes of a payload, most of them of what the shape knows. */
function changesOf({ required, optional = {}, refused, taken = {} }: Shape): fc.Arbitrary<Change[]> {
  const known = Object.entries({ ...refused, ...taken });
  const members = Object.entries({ ...required, ...optional });
  const paths = [...new Set([...known, ...members].map(([path]) => path)), 'type', 'surprise', 'intent_type'];
  const ofTable = fc
    .constantFrom(...known)
    .chain(([path, values]) => fc.record({ path: fc.constant(path), value: fc.constantFrom(...values) }));
  const allowed = fc
    .constantFrom(...Object.entries(taken).concat(members.map(([path, value]) => [path, [value]])))
    .chain(([path, values]) => fc.record({ path: fc.constant(path), value: fc.constantFrom(...values) }));
  const random = fc.record({
    path: fc.constantFrom(...paths),
    value: fc.oneof(fc.constantFrom(...anything), fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' })),
  });
  return fc.array(
    fc.oneof({ arbitrary: allowed, weight: 4 }, { arbitrary: ofTable, weight: 1 }, { arbitrary: random, weight: 1 }),
    {
      maxLength: 4,
    },
  );
}

const envelopeOf = (type: string, payload: unknown): Members => ({
  envelope_version: 1,
  issuer: 'op_1',
  subject: 'carnet://agent/ag_1',
  issued_at: 1,
  claim_type: type,
  claim_version: 1,
  payload,
  receipt: null,
});

describe('the published schemas and those of the service', () => {
  const ajv = new Ajv2020({ strict: false });
  const published = async (name: string): Promise<ValidateFunction> =>
    ajv.compile(assertStatus(await anonymous().get(`/v1/claims/schemas/${name}`), 200));
  let envelope: ValidateFunction;
  before(async () => {
    envelope = await published('envelope');
  });

  /** All verdicts on a value as it is sent; they must be one. */
  const verdict = (type: keyof typeof payloadSchemas, fits: ValidateFunction, value: unknown): boolean => {
    const payload = value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
    const whole = envelopeOf(type, payload);
    const ofPayload = payloadSchemas[type].safeParse(payload);
    const compiled = EnvelopeSchema.safeParse(whole);
    const verdicts = [ofPayload.success, compiled.success, z.validate(EnvelopeSchema, whole), fits(payload)];
    assert.equal(new Set(verdicts).size, 1, `${verdicts.join()} on ${JSON.stringify(payload)}`);
    if (ofPayload.success) assert.deepEqual(compiled.data?.payload, ofPayload.data);
    return ofPayload.success;
  };

  for (const [name, shape] of Object.entries(shapes)) {
    it(`agree on 10,000 payloads of ${name}`, async function () {
      this.timeout(120_000);
      const type = shape.type as keyof typeof payloadSchemas;
      const fits = await published(type);
      const counts = { taken: 0, refused: 0 };
      fc.assert(
        fc.property(changesOf(shape), fc.boolean(), (changes, whole) => {
          const least = { type, ...shape.required, ...(whole && shape.optional) };
          let payload: Members = least;
          for (const { path, value } of changes) payload = changed(payload, path, value);
          counts[verdict(type, fits, payload) ? 'taken' : 'refused'] += 1;
        }),
        { numRuns: 10_000 },
      );
      assert(Math.min(counts.taken, counts.refused) > 1_000, JSON.stringify(counts));
    });
  }

  it('agree on every case of the table, in the envelope too', async () => {
    for (const [name, { type, required, optional = {}, refused, taken = {} }] of Object.entries(shapes)) {
      const fits = await published(type);
      const all = { type, ...required, ...optional };
      const cases: [boolean, Members][] = [
        [true, { type, ...required }],
        [true, all],
      ];
      for (const member of ['type', ...Object.keys(required)]) cases.push([false, changed(all, member, undefined)]);
      for (const [path, values] of Object.entries(taken))
        for (const value of values) cases.push([true, changed(all, path, value)]);
      for (const [path, values] of Object.entries(refused))
        for (const value of values) cases.push([false, changed(all, path, value)]);
      for (const [expected, payload] of cases) {
        assert.equal(
          verdict(type as keyof typeof payloadSchemas, fits, payload),
          expected,
          `${name}: ${JSON.stringify(payload)}`,
        );
        const sent = JSON.parse(JSON.stringify(envelopeOf(type, payload))) as unknown;
        assert.equal(envelope(sent), expected, `${name} in its envelope: ${JSON.stringify(payload)}`);
      }
    }
  });

  it('agree on envelopes whose payload names a type, and on how many co-signatures there may be', () => {
    const coSignatures = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ signer_kid: `k${at}`, signer_role: 'witness', cose_sign1: 'c2ln' }));
    const cases: [boolean, Members][] = [
      ...SHAPELESS_TYPES.flatMap((type): [boolean, Members][] => [
        [true, envelopeOf(type, { type })],
        [true, envelopeOf(type, {})],
        [true, envelopeOf(type, [{ type: 'other' }])],
        [true, envelopeOf(type, 'dossier')],
        [true, envelopeOf(type, null)],
        [true, envelopeOf(type, undefined)],
        [false, envelopeOf(type, { type: type === 'dossier' ? 'mission' : 'dossier' })],
        [false, envelopeOf(type, { type: 'intent_claim' })],
        [false, envelopeOf(type, { type: null })],
        [false, envelopeOf(type, { type: [type] })],
      ]),
      [true, { ...envelopeOf('mission', 1), co_signatures: coSignatures(64) }],
      [false, { ...envelopeOf('mission', 1), co_signatures: coSignatures(65) }],
      [
        false,
        {
          ...envelopeOf('detector_signal', { type: 'detector_signal', ...observations.detector_signal?.required }),
          co_signatures: coSignatures(65),
        },
      ],
    ];
    for (const [expected, value] of cases) {
      const sent = JSON.parse(JSON.stringify(value)) as unknown;
      const verdicts = [EnvelopeSchema.safeParse(sent).success, z.validate(EnvelopeSchema, sent), envelope(sent)];
      assert.deepEqual(verdicts, [expected, expected, expected], JSON.stringify(sent).slice(0, 300));
    }
  });
});
