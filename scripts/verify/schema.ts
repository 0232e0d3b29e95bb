import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Fault, must } from './fault.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** The JSON Schemas that the service publishes, as scripts/write-claim-schemas.ts wrote them. */
interface Published {
  envelope: JsonObject;
  payloads: Record<string, JsonObject>;
}
const published = JSON.parse(readFileSync(new URL('schemas.json', import.meta.url), 'utf8')) as Published;

/** Formats and descriptions of the documents are annotations; `strict` would refuse them. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const compiled = new Map<string, { envelope: ValidateFunction; payload: ValidateFunction }>();

/** Each type is compiled once. @throws Fault for a type that is not published */
function validatorsOf(type: JsonValue | undefined) {
  must(
    typeof type === 'string' && Object.hasOwn(published.payloads, type),
    `claim_type ${JSON.stringify(type)} is none of the published types`,
  );
  const validators = compiled.get(type) ?? {
    envelope: ajv.compile(branchOf(published.envelope, type)),
    payload: ajv.compile(published.payloads[type] ?? {}),
  };
  compiled.set(type, validators);
  return validators;
}

/**
 * Checks an envelope against the published schemas of envelopes and of payloads of its type.
 * @throws Fault that names the first member that does not fit
 */
export function assertFitsSchema(envelope: JsonObject): void {
  const validators = validatorsOf(envelope['claim_type']);
  const payload = envelope['payload'];
  if (payload !== undefined) assertFits(validators.payload, payload, 'payload');
  assertFits(validators.envelope, envelope, '');
}

function assertFits(fits: ValidateFunction, value: JsonValue, path: string): void {
  if (fits(value)) return;
  const [error] = fits.errors ?? [];
  const at = `${path}${(error?.instancePath ?? '').replaceAll('/', '.')}`.replace(/^\./, '');
  const extra: unknown = error?.params['additionalProperty'];
  throw new Fault(
    `${at === '' ? 'the envelope' : at} ${error?.message ?? 'does not fit'}${typeof extra === 'string' ? ` (${extra})` : ''}`,
  );
}

/** The schema of envelopes is one of several, by claim_type; of all of them together the messages would say nothing. */
function branchOf(schema: JsonObject, type: string): JsonObject {
  const definitions = schema['$defs'];
  const root = isObject(definitions) && isObject(definitions['ClaimEnvelope']) ? definitions['ClaimEnvelope'] : schema;
  const branches = root['oneOf'] ?? root['anyOf'];
  must(Array.isArray(branches), 'the published schema of envelopes is not as this program knows it');
  const branch = branches.find((candidate) => isObject(candidate) && namesType(candidate, type));
  must(isObject(branch), `the published schema of envelopes has no type ${type}`);
  return isObject(definitions) ? { $defs: definitions, ...branch } : branch;
}

function namesType({ properties }: JsonObject, type: string): boolean {
  const claimType = isObject(properties) ? properties['claim_type'] : null;
  if (!isObject(claimType)) return false;
  const { const: only, enum: several } = claimType;
  return only === type || (Array.isArray(several) && several.includes(type));
}
