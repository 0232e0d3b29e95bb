import { z } from 'zod';
import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import { jsonObject } from '../fields/objects.ts';
import type { JsonObject } from '../json/value.ts';
import { prepareJson, type PreparedJson } from '../json/prepared.ts';
import { EnvelopeSchema } from './schema/envelope.ts';
import { CLAIM_TYPES, isShaped, payloadSchemas } from './schema/payloads.ts';

export const JsonSchemaDocument = jsonObject.meta({
  override: { type: 'object', additionalProperties: true },
  description: 'JSON Schema 2020-12',
});

const ENVELOPE = 'envelope';
const pathOf = (name: string): string => `/v1/claims/schemas/${name}`;

/** The path under which each schema is read. */
export const schemaDirectory = {
  envelope: pathOf(ENVELOPE),
  schemas: CLAIM_TYPES.map((type) => ({
    claim_type: type,
    schema: isShaped(type) ? ('v1' as const) : ('none' as const),
    path: pathOf(type),
  })),
};

type Document = PreparedJson<z.input<typeof JsonSchemaDocument>>;
const documentsByName = defineCache(() => new Map<string, Document>());

/** The JSON Schema of the payload of a type, or of the `envelope`; null for any other name. Each is made once. */
export function findJsonSchema({ caches }: Context, name: string): Document | null {
  const documents = caches.get(documentsByName);
  let document = documents.get(name);
  if (document === undefined) {
    const schema = jsonSchemaOf(name);
    if (schema === null) return null;
    document = prepareJson(JsonSchemaDocument, schema);
    documents.set(name, document);
  }
  return document;
}

/** As `findJsonSchema` answers it, made again. */
export function jsonSchemaOf(name: string): JsonObject | null {
  if (name === ENVELOPE) return inputSchema(EnvelopeSchema, 'The envelope of a claim');
  if (isShaped(name)) return inputSchema(payloadSchemas[name], `The payload of a claim of type ${name}`);
  if (!CLAIM_TYPES.some((type) => type === name)) return null;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `The payload of a claim of type ${name}`,
    description: 'Any JSON, or none. An object with a member `type` must name this type in it.',
    properties: { type: { const: name } },
  };
}

/** The schema of what is sent: members that have a default may be left out. */
const inputSchema = (schema: z.ZodType, title: string): JsonObject => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return JSON.parse(JSON.stringify({ $schema, title, ...rest })) as JsonObject;
};
