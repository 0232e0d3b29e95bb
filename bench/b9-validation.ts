import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { EnvelopeSchema } from '../src/claims/schema/envelope.ts';
import { parseOrRefuse } from '../src/errors/faults.ts';
import { attestations } from '../test/claims/shapes/attestations.ts';
import { intents } from '../test/claims/shapes/intents.ts';
import { observations } from '../test/claims/shapes/observations.ts';
import { outcomes } from '../test/claims/shapes/outcomes.ts';
import type { Bench } from './bench.ts';
import type { Lab } from './lab.ts';
import { inTurns, median, ratioCells, ratiosOf, table } from './pairs.ts';

/** Envelopes with every member of their payloads. */
const claims = Object.entries({ ...attestations, ...intents, ...outcomes, ...observations }).map(
  ([name, { type, required, optional }]) => ({
    name,
    type,
    envelope: {
      envelope_version: 1,
      issuer: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCF',
      subject: 'carnet://agent/ag_01K9ZC4T0M3Q8V6W2X5Y7ZABCG',
      issued_at: 1_795_262_400,
      claim_type: type,
      claim_version: 1,
      payload: { type, ...required, ...optional },
      receipt: null,
    },
  }),
);
type ClaimCase = (typeof claims)[number];

/** Microseconds that a claim may take. */
const MAX_MICROSECONDS = 5;

export const b9Validation: Bench = {
  title: 'B9: validating claims',
  run: speedTable,
};

/**
 * Ajv's own validator of each envelope, chosen by a map as a service would: over all thirty types together, as the schema is published, it
 * tries one after the other.
 */
function ajvValidators(): ReadonlyMap<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: false });
  return new Map(
    EnvelopeSchema.options.flatMap((option) => {
      const { claim_type: type } = option.shape;
      if (type instanceof z.ZodEnum) return [];
      const schema = JSON.parse(JSON.stringify(z.toJSONSchema(option, { io: 'input' }))) as object;
      return [[type.value, ajv.compile(schema)] as const];
    }),
  );
}

async function speedTable(lab: Lab): Promise<string[]> {
  const validators = ajvValidators();
  const runtime = z.discriminatedUnion('claim_type', EnvelopeSchema.options);
  const times = lab.quick ? 1_000 : 50_000;
  const contenders: Record<'ours' | 'ajv' | 'runtime', (one: ClaimCase) => unknown> = {
    ours: ({ envelope }) => parseOrRefuse(EnvelopeSchema, envelope),
    ajv: ({ envelope }) => validators.get(envelope.claim_type)?.(envelope) === true || refused(envelope.claim_type),
    runtime: ({ envelope }) => runtime.parse(envelope),
  };
  const timed = (validate: (one: ClaimCase) => unknown) => async (): Promise<number[]> =>
    claims.map((one) => {
      const start = performance.now();
      for (let at = 0; at < times; at += 1) validate(one);
      return ((performance.now() - start) * 1_000) / times;
    });
  const rounds = lab.quick ? 1 : 6;
  const found = await inTurns(
    rounds,
    { ours: timed(contenders.ours), ajv: timed(contenders.ajv), runtime: timed(contenders.runtime) },
    () => lab.log('a round of validations'),
  );
  // The first round is that in which the functions become fast.
  const of = (name: keyof typeof contenders, at: number): number[] =>
    found[name].slice(lab.quick ? 0 : 1).map((round) => round[at] ?? Number.NaN);
  const ratios = claims.map(({ name }, at) => {
    const ratio = median(ratiosOf(of('ajv', at), of('ours', at)));
    lab.log(`${name}: ${micro(of('ours', at))} µs, ${ratio.toFixed(2)} of the speed of Ajv`);
    return { name, ratio };
  });
  const [worst] = ratios.toSorted((one, other) => one.ratio - other.ratio);
  const slower = ratios.filter(({ ratio }) => ratio < 1).length;
  const total = (name: keyof typeof contenders): number[] =>
    found[name].slice(lab.quick ? 0 : 1).map((round) => round.reduce((sum, time) => sum + time, 0) / claims.length);
  const [ours, ajv, plain] = [total('ours'), total('ajv'), total('runtime')];
  const whole = median(ours) < MAX_MICROSECONDS ? 'reached' : 'missed';
  const rows = [
    [`the mean of ${claims.length} shapes`, micro(ours), micro(ajv), micro(plain), ...ratioCells(ajv, ours, 1)],
    [`the same, in ${MAX_MICROSECONDS} µs`, micro(ours), '', '', '', whole],
  ];
  return [
    table(['microseconds a claim', 'Carnet', 'Ajv', 'zod, not compiled', 'speed of Ajv', 'goal'], rows),
    `Ajv is quicker at ${slower} of the ${claims.length} shapes, most at ${worst?.name} (${worst?.ratio.toFixed(2)}).`,
  ];
}

function refused(type: string): never {
  throw new Error(`Ajv refuses the claim of type ${type}.`);
}

const micro = (times: readonly number[]): string => median(times).toFixed(2);
