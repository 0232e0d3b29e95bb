import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Redocly's strictest rules, since client generators fail on what they forbid, with the exceptions of this document. */
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Generators make one class for each tag: an operation with two tags would be in two, one without tags in none.
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    // A summary names a call, and does not say what to know about it.
    'operation-description': 'error',
    // Every refusal is problem+json with type, title and status, so that a client needs one error class.
    'operation-4xx-problem-details-rfc7807': 'error',
    // Off: /v1/skills/:id/versions and /v1/skills/invocations/:id are ambiguous for Redocly; fixed segments are matched first.
    'no-ambiguous-paths': 'off',
    // The code has no licence (UNLICENSED in package.json).
    'info-license': 'off',
    'info-license-strict': 'off',
  },
});

interface Operation {
  operationId?: string;
  requestBody?: { content?: Record<string, { schema?: object; example?: unknown }> };
}
interface Document {
  tags?: object[];
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, { properties?: object }> };
}

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const pointer = (...steps: string[]): string =>
  `#/${steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;

/** Rules that Redocly does not have. */
function ownFaultsOf({ paths = {}, webhooks = {}, components: { schemas = {} } = {} }: Document): string[] {
  const faults: string[] = [];
  const requests = new Set<string>();
  for (const [part, all] of Object.entries({ paths, webhooks }))
    for (const [path, methods] of Object.entries(all))
      for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
        if (operationId !== undefined) requests.add(`${pascal(operationId)}Request`);
        for (const [type, { schema = {}, example }] of Object.entries(requestBody?.content ?? {}))
          // Signed bytes are the sender's own, and have no schema here.
          if (example === undefined && ('$ref' in schema || 'type' in schema))
            faults.push(
              `${pointer(part, path, method, 'requestBody', 'content', type)}: has no example [body-example]`,
            );
      }
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    // openapi-generator gives this name to the arguments of the operation, in TypeScript.
    if (requests.has(name))
      faults.push(`${pointer('components', 'schemas', name)}: is the name of an operation's request [request-name]`);
    // Members become names in most languages. Where they are numbers or keys, make it a map.
    for (const member of Object.keys(properties))
      if (!/^[A-Za-z_]/.test(member))
        faults.push(
          `${pointer('components', 'schemas', name, 'properties', member)}: must begin with a letter [member-name]`,
        );
  }
  return faults;
}

/** The public list of tags leaves platform administration out on purpose. */
const PLATFORM_TAG = { name: 'platform', description: 'Administration of the platform' };

/**
 * Finds what a client generator could not read in an OpenAPI document, one text for each fault: place, fault and rule.
 * @throws {SyntaxError} when the document is not JSON.
 */
export async function faultsOf(document: string): Promise<string[]> {
  const parsed = JSON.parse(document) as Document;
  const source = JSON.stringify({ ...parsed, tags: [...(parsed.tags ?? []), PLATFORM_TAG] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return [
    ...problems.map(({ location, message, ruleId }) => `${location[0]?.pointer ?? '#/'}: ${message} [${ruleId}]`),
    ...ownFaultsOf(parsed),
  ];
}

if (import.meta.main) {
  const file = resolve(process.argv[2] ?? join(import.meta.dirname, '../openapi.json'));
  const faults = await faultsOf(await readFile(file, 'utf8'));
  console.log(faults.length === 0 ? 'openapi.json: a client generator can read it' : faults.join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
