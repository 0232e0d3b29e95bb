import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { draftOf } from './drafts.ts';
import { dotted, fault, MAX_FAULTS, type SchemaFault } from './faults.ts';
import { own, subschemas, type Subschema } from './walk.ts';

/**
 * How large a published schema may be. Measured: Ajv without `allErrors` overflows the stack at about 2,000 properties in
 * one object and compiles 500 in 50 ms; re2js compiles a pattern of 1,000 characters in 4 ms. Real schemas are far smaller.
 */
export const SchemaLimits = {
  bytes: 65_536,
  depth: 32,
  nodes: 10_000,
  members: 500,
  items: 1_000,
  patternLength: 1_000,
  patterns: 100,
} as const;

/**
 * The faults in the structure of a schema. It takes time linear in the size of the schema and compiles nothing, so it may
 * run on the event loop. `at` is the name of the body's property that holds it.
 */
export function structuralFaults(schema: JsonValue, at: string): SchemaFault[] {
  if (!isJsonObject(schema)) return [fault(at, 'type', 'must be a JSON Schema, that is a JSON object')];
  const oversize = sizeFault(schema, at);
  if (oversize) return [oversize];
  if (draftOf(schema) === undefined) {
    const why =
      'Only JSON Schema 2020-12 and draft-07 are understood; set $schema to one of them or leave it out for 2020-12';
    return [fault(dotted(at, '$schema'), 'unsupported_draft', why)];
  }
  const entries = subschemas(schema);
  const faults: SchemaFault[] = [];
  for (const entry of entries) {
    faults.push(...keywordFaults(entry, schema, at), ...referenceFaults(entry, at), ...patternLengthFaults(entry, at));
    if (faults.length >= MAX_FAULTS) return faults.slice(0, MAX_FAULTS);
  }
  return faults.length > 0 ? faults : wholeFaults(entries, at);
}

/**
 * Checks depth, counts and names first, and never recurses past the limit: serialising a value that is nested too deep
 * would overflow the stack. Paths are composed for faults alone, since a name may be as long as the whole body.
 */
function sizeFault(schema: JsonObject, at: string): SchemaFault | undefined {
  const steps: string[] = [];
  let nodes = 0;
  const visit = (value: JsonValue): SchemaFault | undefined => {
    nodes += 1;
    if (nodes > SchemaLimits.nodes) {
      return fault(at, 'too_many_nodes', `holds more than ${SchemaLimits.nodes} values; make it smaller`);
    }
    if (typeof value !== 'object' || value === null) return undefined;
    const oversize = containerFault(value, steps.length);
    if (oversize) return fault(dotted(at, ...steps), oversize.code, oversize.why);
    for (const [name, child] of Object.entries(value)) {
      steps.push(name);
      const childFault = visit(child);
      if (childFault) return childFault;
      steps.pop();
    }
    return undefined;
  };
  const schemaFault = visit(schema);
  if (schemaFault) return schemaFault;
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  return bytes > SchemaLimits.bytes
    ? fault(at, 'too_large', `has ${bytes} bytes of JSON; at most ${SchemaLimits.bytes} are taken`)
    : undefined;
}

function containerFault(value: JsonValue[] | JsonObject, depth: number): { code: string; why: string } | undefined {
  if (depth >= SchemaLimits.depth) {
    return { code: 'too_deep', why: `is nested more than ${SchemaLimits.depth} deep; flatten it with $defs and $ref` };
  }
  if (Array.isArray(value)) {
    const why = `has more than ${SchemaLimits.items} items; shorten the list`;
    return value.length > SchemaLimits.items ? { code: 'too_many_items', why } : undefined;
  }
  if (Object.hasOwn(value, '__proto__')) {
    return { code: 'forbidden_member', why: 'has a member called __proto__; use another name' };
  }
  const why = `has more than ${SchemaLimits.members} members; group them into objects of their own`;
  return Object.keys(value).length > SchemaLimits.members ? { code: 'too_many_properties', why } : undefined;
}

function keywordFaults({ schema, steps }: Subschema, root: JsonObject, at: string): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const path = (keyword: string): string => dotted(at, ...steps, keyword);
  if (schema !== root) {
    // The compiler ignores the root's own $id: references are local, so nothing is resolved against it.
    if (typeof own(schema, '$id') === 'string') {
      faults.push(
        fault(
          path('$id'),
          'nested_id',
          'An $id inside the schema changes what # means; remove it and refer to the part by #/… or by an $anchor',
        ),
      );
    }
    const draft = own(schema, '$schema');
    if (draft !== undefined && draftOf(schema) !== draftOf(root)) {
      faults.push(
        fault(path('$schema'), 'unsupported_draft', 'One document is of one draft; remove the inner $schema'),
      );
    }
  }
  if (own(schema, '$async') !== undefined)
    faults.push(fault(path('$async'), 'async_schema', 'Asynchronous schemas are not run here; remove $async'));
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword !== 'default' && isJsonObject(value) && typeof own(value, '$data') === 'string') {
      faults.push(fault(path(keyword), 'data_reference', '$data is not supported; write the value itself'));
    }
  }
  return faults;
}

const referenceFaults = ({ references, steps }: Subschema, at: string): SchemaFault[] =>
  references
    .filter(({ target }) => target === undefined)
    .map(({ keyword, text }) => {
      const path = dotted(at, ...steps, keyword);
      return text.startsWith('#')
        ? fault(
            path,
            'unresolved_ref',
            `The schema holds nothing under ${text}; point to one of its parts, such as #/$defs/name`,
          )
        : fault(
            path,
            'remote_ref',
            `${text} is outside the schema and not fetched; copy it into $defs and refer to it by #/$defs/name`,
          );
    });

const patternLengthFaults = (entry: Subschema, at: string): SchemaFault[] =>
  patternsOf(entry)
    .filter(({ pattern }) => pattern.length > SchemaLimits.patternLength)
    .map(({ steps }) =>
      fault(
        dotted(at, ...steps),
        'pattern_too_long',
        `The pattern has more than ${SchemaLimits.patternLength} characters; shorten it`,
      ),
    );

/** The regular expressions of one schema, without those of its subschemas. */
export function patternsOf({ schema, steps }: Subschema): { pattern: string; steps: string[] }[] {
  const pattern = own(schema, 'pattern');
  const properties = own(schema, 'patternProperties');
  return [
    ...(typeof pattern === 'string' ? [{ pattern, steps: [...steps, 'pattern'] }] : []),
    ...(isJsonObject(properties)
      ? Object.keys(properties).map((name) => ({ pattern: name, steps: [...steps, 'patternProperties', name] }))
      : []),
  ];
}

function wholeFaults(entries: Subschema[], at: string): SchemaFault[] {
  const patterns = entries.flatMap(patternsOf);
  if (patterns.length > SchemaLimits.patterns) {
    return [
      fault(at, 'too_many_patterns', `holds ${patterns.length} patterns; at most ${SchemaLimits.patterns} are taken`),
    ];
  }
  const endless = endlessSchema(entries);
  if (!endless) return [];
  const why =
    'applies itself to the same value again, so no check would end; refer to it from properties or items instead';
  return [fault(dotted(at, ...endless.steps), 'endless_ref', why)];
}

/**
 * A schema that applies itself to the same value again, found by a depth-first walk. The walk keeps its own stack, since
 * a chain of references may be as long as the document.
 */
function endlessSchema(entries: Subschema[]): Subschema | undefined {
  const bySchema = new Map(entries.map((entry) => [entry.schema, entry]));
  const state = new Map<Subschema, 'open' | 'done'>();
  for (const start of entries) {
    const path: { entry: Subschema; next: number }[] = [];
    const enter = (entry: Subschema): void => {
      state.set(entry, 'open');
      path.push({ entry, next: 0 });
    };
    if (!state.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const target = top.entry.inPlace[top.next];
      top.next += 1;
      if (!target) {
        state.set(top.entry, 'done');
        path.pop();
        continue;
      }
      const entry = bySchema.get(target);
      if (!entry || state.get(entry) === 'done') continue;
      if (state.get(entry) === 'open') return top.entry;
      enter(entry);
    }
  }
  return undefined;
}
