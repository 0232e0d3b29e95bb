import { readFile } from 'node:fs/promises';

/**
 * The types and the table of operations of the SDK in TypeScript, out of openapi.json. That document is shaped for generators
 * (`src/http/openapi/shape.ts`): every object has a name, and there are few kinds of schemas, so this needs no library.
 */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}
interface Parameter {
  in: string;
  name: string;
  schema: Schema;
  required?: boolean;
  description?: string;
}
type Content = Record<string, { schema?: Schema }>;
interface Operation {
  operationId: string;
  summary: string;
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

export const SDK_TYPES = new URL('../sdk/typescript/src/generated.ts', import.meta.url);

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);
/** As the formatter of the project quotes it. */
const literal = (value: unknown): string =>
  typeof value === 'string' && !/['\\\n]/.test(value) ? `'${value}'` : JSON.stringify(value);
const comment = (text: string | undefined, indent = ''): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`;

const PLAIN: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice !== undefined) return [...new Set(choice.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
  if (schema.type === 'object') return objectOf(schema);
  return PLAIN[schema.type ?? ''] ?? 'unknown';
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined || Object.keys(properties).length === 0)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description, '  ')}  ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};\n`,
  );
  return `{\n${members.join('')}}`;
}

/** JSON is read, texts come as they are, and everything else as bytes. */
function answerOf({ responses }: Operation): string {
  const [, good] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const kinds = Object.entries(good?.content ?? {}).map(([media, { schema = {} }]) => {
    if (/[/+]json$/.test(media)) return typeOf(schema);
    return /^text\/|ndjson|jwt/.test(media) ? 'string' : 'Uint8Array';
  });
  return kinds.length === 0 ? 'undefined' : [...new Set(kinds)].join(' | ');
}

function argumentsOf(operation: Operation, parameters: Record<string, Parameter>): string {
  const all = (operation.parameters ?? []).map((one) => {
    const found = one.$ref === undefined ? one : parameters[nameOf(one.$ref)];
    if (found === undefined)
      throw new Error(`${operation.operationId} names the parameter ${one.$ref}, which is not there.`);
    return found;
  });
  const within = (place: string): Parameter[] => all.filter((one) => one.in === place);
  const group = (place: string): string => {
    const members = within(place).map(
      ({ name, schema, required, description }) =>
        `${comment(description ?? schema.description, '  ')}  ${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema)};\n`,
    );
    return members.length === 0
      ? ''
      : `${place}${within(place).some(({ required }) => required) ? '' : '?'}: {\n${members.join('')}};\n`;
  };
  const [media, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const sent = media === 'application/json' ? typeOf(body?.schema ?? {}) : 'string';
  const content = media === undefined ? '' : `body${operation.requestBody?.required ? '' : '?'}: ${sent};\n`;
  return `{\n${group('path')}${group('query')}${content}}`;
}

/** @returns the source, not formatted yet */
export async function sdkTypes(): Promise<string> {
  const document: Document = JSON.parse(await readFile(new URL('../openapi.json', import.meta.url), 'utf8'));
  const { schemas, parameters } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const types = Object.entries(schemas).map(
    ([name, schema]) =>
      `${comment(schema.description)}export ${typeOf(schema).startsWith('{') ? `interface ${name} ${typeOf(schema)}` : `type ${name} = ${typeOf(schema)};`}\n`,
  );
  const signatures = operations.map(
    ({ operation }) =>
      `${comment(operation.summary, '  ')}  ${operation.operationId}: { arguments: ${argumentsOf(operation, parameters)}; answer: ${answerOf(operation)} };\n`,
  );
  const rows = operations.map(({ path, method, operation }) => {
    const refs = operation.parameters?.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)])) ?? [];
    const media = Object.keys(operation.requestBody?.content ?? {})[0] ?? null;
    return `  ${operation.operationId}: [${[method, path, refs.includes('IdempotencyKey'), media].map(literal).join(', ')}],\n`;
  });
  // A forward is signed in another way, and has its own schema.
  const notifications = Object.values(document.webhooks)
    .map(({ post }) => typeOf(post.requestBody?.content['application/json']?.schema ?? {}))
    .filter((name) => name.endsWith('Notification'));
  return `// Written by scripts/write-sdk.ts from openapi.json: change the routes, and run it again.

${types.join('\n')}
/** The body of a notification; its \`event_type\` tells which. */
export type Notification =
${notifications.map((name) => `  | ${name}\n`).join('')};

/** Each operation: what it takes, and what it answers. */
export interface Operations {
${signatures.join('')}}

/** Method, path, whether it takes an Idempotency-Key, and the type of its body. */
export const OPERATIONS: Record<keyof Operations, readonly [string, string, boolean, string | null]> = {
${rows.join('')}};
`;
}
