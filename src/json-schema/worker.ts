import type { ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { compileSchema, metaschemaErrors } from './compile.ts';
import { dotted, fault, faultsFrom, faultsOfSchemaFrom, type SchemaFault } from './faults.ts';
import { patternsOf } from './limits.ts';
import type { Answer, Job, PlacedPattern } from './messages.ts';
import { linearPattern } from './patterns.ts';
import { serve } from '../threads/serve.ts';
import { subschemas } from './walk.ts';

/**
 * Characters of schema text whose validators are cached. Measured: both validators of a schema take 50 times the size of
 * its text, 220 times where it is all patterns, and 50 KiB at least; so the cache takes 13 to 58 MiB of a worker's 128.
 */
const CACHED_TEXT = 262_144;
const ENTRY_OVERHEAD = 256;
/** Values up to this size are answered with all their faults, larger ones with the first. */
const MAX_EVERY_FAULT_LENGTH = 16_384;

interface Entry {
  schema: JsonObject;
  size: number;
  everyFault?: ValidateFunction;
  firstFault?: ValidateFunction;
}

/** By hash. A schema is smaller than `CACHED_TEXT`, so the newest is always kept. */
const cache = new LRUCache<string, Entry>({ maxSize: CACHED_TEXT, sizeCalculation: ({ size }) => size });

function entryOf({ schemaHash, schemaText }: Job): Entry | undefined {
  const known = cache.get(schemaHash);
  if (known !== undefined || schemaText === undefined) return known;
  const entry: Entry = { schema: JSON.parse(schemaText) as JsonObject, size: schemaText.length + ENTRY_OVERHEAD };
  cache.set(schemaHash, entry);
  return entry;
}

function validate(
  entry: Entry,
  valueText: string,
  { root, placesOfSchema }: Pick<Job, 'root' | 'placesOfSchema'>,
): SchemaFault[] {
  let matches: ValidateFunction;
  try {
    matches =
      valueText.length <= MAX_EVERY_FAULT_LENGTH
        ? (entry.everyFault ??= compileSchema(entry.schema, { everyFault: true }))
        : (entry.firstFault ??= compileSchema(entry.schema, { everyFault: false }));
  } catch (error) {
    return [fault(root, 'schema_unusable', `The schema cannot be used: ${(error as Error).message}`)];
  }
  try {
    if (matches(JSON.parse(valueText) as JsonValue)) return [];
    return (placesOfSchema ? faultsOfSchemaFrom : faultsFrom)(matches.errors ?? [], root);
  } catch (error) {
    if (error instanceof RangeError)
      return [fault(root, 'too_deep', 'is nested too deep for its schema; make it flatter')];
    throw error;
  }
}

function check(schema: JsonObject, root: string): SchemaFault[] {
  const errors = metaschemaErrors(schema);
  if (errors.length > 0) return faultsFrom(errors, root);
  const faults = patternFaults(schema, root);
  if (faults.length > 0) return faults;
  try {
    // The validator that stops at the first fault has the deeper nested code: what compiles this way compiles both ways.
    compileSchema(schema, { everyFault: false });
    return [];
  } catch (error) {
    return [fault(root, 'schema_unusable', `The schema cannot be compiled: ${(error as Error).message}`)];
  }
}

const patternFaults = (schema: JsonObject, root: string): SchemaFault[] =>
  subschemas(schema)
    .flatMap(patternsOf)
    .flatMap(({ pattern, steps }) => {
      try {
        linearPattern(pattern);
        return [];
      } catch (error) {
        return [fault(dotted(root, ...steps), 'pattern_unsupported', (error as Error).message)];
      }
    });

/** A pattern that others match with RE2 itself, so it is not one of ECMA-262 as in a schema. */
function re2Faults({ path, pattern }: PlacedPattern): SchemaFault[] {
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    const message = `is not a regular expression of RE2 (${(error as Error).message})`;
    return [fault(path, 'pattern_unsupported', message)];
  }
}

function run(job: Job): Answer {
  if (job.ofPattern) return re2Faults(JSON.parse(job.schemaText ?? 'null') as PlacedPattern);
  if (job.valueText === undefined) return check(JSON.parse(job.schemaText ?? 'null') as JsonObject, job.root);
  const entry = entryOf(job);
  return entry ? validate(entry, job.valueText, job) : 'missing';
}

/** Ajv's code and the metaschemas are compiled at their first use, which took up to 0.6 s on a busy machine. */
function warmUp(): void {
  for (const $schema of ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema']) {
    const schema: JsonObject = {
      $schema,
      type: 'object',
      properties: { text: { type: 'string', pattern: '^a' } },
      required: ['text'],
    };
    check(schema, '');
    validate({ schema, size: 0 }, '{"text":1}', { root: '' });
  }
}

warmUp();
serve<Job, Answer>(run);
