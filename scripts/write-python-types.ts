import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes the types of the SDK in Python, from openapi.json: the schemas that its parts name, and those within them. With `--check`
 * it writes nothing, and exits 1 where the committed file differs.
 */

const ROOT = join(import.meta.dirname, '..');
const PYTHON_TYPES = join(ROOT, 'sdk/python/carnet_sdk/types.py');
const ROOTS = ['PublishSkill', 'BrowseSkillsAnswer', 'Skill', 'Invocation', 'EvidencedInvocation', 'PassportClaims'];

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

const SIMPLE: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
};
const HEAD = `"""Written by scripts/write-python-types.ts from openapi.json."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
`;

/** @returns the module in Python, as it is in the SDK */
async function pythonTypes(): Promise<string> {
  const document = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8')) as {
    components: { schemas: Record<string, Schema> };
    webhooks: Record<string, { post: { requestBody: { content: { 'application/json': { schema: Schema } } } } }>;
  };
  const { schemas } = document.components;
  const written = new Map<string, string>();
  const refer = (name: string): string => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`openapi.json has no schema ${name}`);
    // Only a class has a name: Python 3.11 has no statement for another type that may name itself.
    if (schema.properties === undefined) return typeOf(schema);
    if (!written.has(name)) {
      written.set(name, '');
      written.set(name, classOf(name, schema.properties, schema.required));
    }
    return name;
  };
  const typeOf = (schema: Schema): string => {
    if (schema.$ref !== undefined) return refer(schema.$ref.split('/').at(-1) ?? '');
    if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
    if (schema.enum)
      return `Literal[${schema.enum.map((value) => (value === null ? 'None' : JSON.stringify(value))).join(', ')}]`;
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return either.map(typeOf).join(' | ');
    if (schema.type === undefined) return 'Any';
    return [schema.type]
      .flat()
      .map((type) => (type === 'array' ? `list[${schema.items ? typeOf(schema.items) : 'Any'}]` : SIMPLE[type]))
      .join(' | ');
  };
  const classOf = (name: string, properties: Record<string, Schema>, required: readonly string[] = []): string => {
    const lines = Object.entries(properties).map(([key, schema]) => {
      const type = typeOf(schema);
      return `    ${key}: ${required.includes(key) ? type : `NotRequired[${type}]`}\n`;
    });
    return `class ${name}(TypedDict):\n${lines.join('')}`;
  };
  ROOTS.forEach(refer);
  const notifications = Object.values(document.webhooks)
    .map(({ post }) => post.requestBody.content['application/json'].schema.$ref?.split('/').at(-1) ?? '')
    .filter((name) => name.endsWith('Notification'));
  for (const name of notifications) {
    const { properties = {}, required = [] } = schemas[name] ?? {};
    // The id is in a header, and the SDK puts it beside the members of the body.
    written.set(name, classOf(name, { id: { type: 'string' }, ...properties }, ['id', ...required]));
  }
  const sorted = [...written].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const union = `#: A notification that was verified; its \`event_type\` tells which.\nNotification = (\n    ${notifications.join('\n    | ')}\n)\n`;
  return [HEAD, ...sorted.map(([, text]) => text), union].join('\n\n');
}

const current = await pythonTypes();
if (!process.argv.includes('--check')) {
  await writeFile(PYTHON_TYPES, current);
} else if ((await readFile(PYTHON_TYPES, 'utf8').catch(() => '')) !== current) {
  console.error('sdk/python/carnet_sdk/types.py differs from openapi.json; run: node scripts/write-python-types.ts');
  process.exitCode = 1;
}
