import { isDeepStrictEqual } from 'node:util';

/** A JSON Schema of the document, as far as it is read here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

interface Parameter {
  $ref?: string;
  in?: string;
  name?: string;
  description?: string;
  schema?: Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content; headers?: Record<string, Parameter> }>;
}

/** An OpenAPI document, as far as it is read here. */
export interface ShapedDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

const INT32_MAX = 2_147_483_647;

/**
 * Changes a document into one that generators of clients make good names and types of, in place. What fits it stays the same, except for
 * what few languages have as a type, which becomes words: `not`, null alone, and a pattern beside the format of a date.
 * @throws Error where two different schemas would have the same name
 */
export function shapeForClients(document: ShapedDocument): void {
  const { schemas, parameters } = document.components;
  for (const schema of Object.values(schemas)) simplify(schema);
  for (const parameter of Object.values(parameters ?? {})) simplifyParameter(parameter);
  for (const operation of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) simplifyParameter(parameter);
    for (const { schema } of mediaOf(operation)) if (schema !== undefined) simplify(schema);
  }
  nameParts(document);
  nameParameters(document);
}

const operationsOf = ({ paths, webhooks = {} }: ShapedDocument): Operation[] =>
  [paths, webhooks].flatMap((all) => Object.values(all).flatMap((methods) => Object.values(methods)));

const mediaOf = ({ requestBody, responses }: Operation) => [
  ...Object.values(requestBody?.content ?? {}),
  ...Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
];

function simplifyParameter({ schema, ...parameter }: Parameter): void {
  if (schema === undefined) return;
  simplify(schema);
  // A description of the schema alone would be lost: generators read what is said of the parameter.
  if (schema.description !== undefined && parameter.description !== undefined) delete schema.description;
}

const partsOf = (schema: Schema): Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...(schema.items === undefined ? [] : [schema.items]),
  ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
];

function simplify(schema: Schema): void {
  for (const part of partsOf(schema)) simplify(part);
  for (const property of Object.values(schema.properties ?? {})) if (isNull(property)) putNullIntoWords(property);
  putIntoWords(schema);
  simplifyNullable(schema);
  simplifyNumber(schema);
  simplifyObject(schema);
  simplifyUnion(schema);
}

/** Mends what generators stumble over, and what no type says. A default in a schema makes some of them require the property. */
function putIntoWords(schema: Schema): void {
  const words: string[] = [];
  if (schema.default !== undefined) words.push(`Default: \`${JSON.stringify(schema.default)}\`.`);
  if (schema.not !== undefined) words.push(`Refused where it fits \`${JSON.stringify(schema.not)}\`.`);
  delete schema.default;
  delete schema.not;
  if (schema.format?.startsWith('date') === true) delete schema.pattern;
  if (words.length > 0) schema.description = [...sentence(schema.description), ...words].join(' ');
}

/** No language has a type for what is always null. */
function putNullIntoWords(schema: Schema): void {
  delete schema.type;
  schema.description = [...sentence(schema.description), 'Always `null`.'].join(' ');
}

const sentence = (text: string | undefined): string[] =>
  text === undefined ? [] : [/[.!?]$/.test(text) ? text : `${text}.`];

const isWhole = (value: unknown): boolean => Number.isInteger(value);

/** A choice of texts, or any object, that may be null becomes a choice between that and null. */
function simplifyNullable(schema: Schema): void {
  const { type, enum: values, description, ...rest } = schema;
  if (!Array.isArray(type) || !type.includes('null')) return;
  const [only, ...others] = type.filter((one) => one !== 'null');
  if (only === undefined || others.length > 0 || (values === undefined && only !== 'object')) return;
  for (const keyword of Object.keys(schema)) delete (schema as Record<string, unknown>)[keyword];
  const some = { ...rest, type: only, ...(values !== undefined && { enum: values.filter((value) => value !== null) }) };
  Object.assign(schema, { ...(description !== undefined && { description }), anyOf: [some, { type: 'null' }] });
}

/** Whole numbers are integers, and those beyond 32 bits say so. */
function simplifyNumber(schema: Schema): void {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (schema.type === 'number' && values.length > 0 && values.every(isWhole)) schema.type = 'integer';
  if ([schema.type].flat().includes('integer') && values.length === 0 && (schema.maximum ?? Infinity) > INT32_MAX)
    schema.format ??= 'int64';
}

/** `{}` allows what absence and `true` allow; names of members are texts always. */
function simplifyObject(schema: Schema): void {
  if (isDeepStrictEqual(schema.propertyNames, { type: 'string' })) delete schema.propertyNames;
  if (!hasMembers(schema)) delete schema.properties;
  if (!isDeepStrictEqual(schema.additionalProperties, {})) return;
  if (hasMembers(schema)) delete schema.additionalProperties;
  else schema.additionalProperties = true;
}

const isNull = (schema: Schema): boolean => schema.type === 'null';
const isText = (schema: Schema): boolean =>
  schema.type === 'string' || (schema.type === undefined && schema.format !== undefined);
const hasMembers = ({ properties }: Schema): boolean => Object.keys(properties ?? {}).length > 0;

/**
 * Makes one schema with two types of a choice between a plain value and null, and a text of one between texts of several formats. What will have a
 * name of its own stays beside null, so that the name is of the value alone.
 */
function simplifyUnion(schema: Schema): void {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return;
  if (rest.type !== undefined) {
    delete schema.anyOf;
    return;
  }
  if (anyOf.every((one) => isText(one) && one.format !== undefined)) {
    delete schema.anyOf;
    const formats = anyOf.map(({ format }) => format).join(' or ');
    Object.assign(schema, {
      type: 'string',
      description: [...sentence(rest.description), `In the form ${formats}.`].join(' '),
    });
    return;
  }
  const [some, ...others] = anyOf.filter((one) => !isNull(one));
  if (some === undefined || others.length > 0 || others.length + 1 === anyOf.length) return;
  if (typeof some.type !== 'string' || some.type === 'object' || some.enum !== undefined || some.const !== undefined)
    return;
  delete schema.anyOf;
  Object.assign(schema, { ...some, type: [some.type, 'null'] }, rest);
}

/** `tool_calls` → `ToolCalls`, `svid_attestation` → `SvidAttestation`. */
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Names one of them: `matches` → `match`, `dependencies` → `dependency`. */
const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|ss|x)es$/, '$1')
    .replace(/([^s])s$/, '$1');

/** Gives every object and every choice of objects that stands inside of something a name of its own, made of where it stands. */
function nameParts(document: ShapedDocument): void {
  const { schemas } = document.components;
  const named = (name: string, schema: Schema): Schema => {
    const before = schemas[name];
    if (before === undefined) schemas[name] = schema;
    else if (!isDeepStrictEqual(before, schema))
      throw new Error(`Two schemas of openapi.json would be ${name}; give one an id.`);
    return { $ref: `#/components/schemas/${name}` };
  };
  const place = (schema: Schema, name: string): Schema => {
    nameWithin(schema, name);
    return hasMembers(schema) || isChoice(schema) ? named(name, schema) : schema;
  };
  const placeMember = (member: Schema, { name, alone }: { name: string; alone: boolean }): Schema => {
    const placed = isNull(member) ? member : place(member, name);
    return alone && placed === member && isNamedBesideNull(member) ? named(name, member) : placed;
  };
  const placeAnswer = (answer: Schema, name: string): Schema =>
    answer.type === 'object' && !hasMembers(answer) ? named(name, answer) : place(answer, name);
  const nameWithin = (schema: Schema, name: string): void => {
    for (const [property, part] of Object.entries(schema.properties ?? {}))
      (schema.properties ?? {})[property] = place(part, name + pascal(property));
    if (schema.items !== undefined) schema.items = place(schema.items, singular(name));
    const members = schema.oneOf ?? schema.anyOf;
    if (members === undefined) return;
    const resolved = members.map(
      (member) => schemas[member.$ref?.replace('#/components/schemas/', '') ?? ''] ?? member,
    );
    const by = discriminatorOf(resolved);
    const alone = members.filter((one) => !isNull(one)).length === 1;
    const placed = members.map((member) =>
      placeMember(member, { name: alone ? name : name + pascal(memberName(member, by)), alone }),
    );
    if (by !== undefined) schema.discriminator = discriminator(by, { members: resolved, placed });
    if (schema.oneOf === undefined) schema.anyOf = placed;
    else schema.oneOf = placed;
  };
  for (const [name, schema] of Object.entries(schemas)) nameWithin(schema, name);
  for (const operation of operationsOf(document)) {
    const name = pascal(operation.operationId);
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      if (media.schema !== undefined) media.schema = place(media.schema, name);
    for (const [status, { content }] of Object.entries(operation.responses))
      if (status.startsWith('2'))
        for (const media of Object.values(content ?? {}))
          if (media.schema !== undefined) media.schema = placeAnswer(media.schema, `${name}Answer`);
  }
  document.components.schemas = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A schema that generators make a type of, and name by its number where it stands beside null without a name. */
const isNamedBesideNull = ({ type, enum: values }: Schema): boolean => type === 'object' || values !== undefined;

/** Whether it is one of several objects; something or null is none. */
const isChoice = ({ oneOf, anyOf }: Schema): boolean => {
  const members = (oneOf ?? anyOf ?? []).filter((one) => !isNull(one));
  return members.length > 1 && members.every(({ $ref }) => $ref !== undefined);
};

const textsOf = (member: Schema, property: string): string[] => {
  const { const: one, enum: several = [one] } = member.properties?.[property] ?? {};
  return several.filter((value) => typeof value === 'string');
};

/** The property by whose text the members of a choice are told apart. */
function discriminatorOf(members: Schema[]): string | undefined {
  if (members.length < 2) return undefined;
  return Object.keys(members[0]?.properties ?? {}).find((property) => {
    const texts = members.map((member) => textsOf(member, property));
    return (
      texts.every((of) => of.length > 0) &&
      members.every(({ required }) => required?.includes(property)) &&
      new Set(texts.flat()).size === texts.flat().length
    );
  });
}

const discriminator = (propertyName: string, { members, placed }: { members: Schema[]; placed: Schema[] }) => ({
  propertyName,
  mapping: Object.fromEntries(
    members.flatMap((member, at) => textsOf(member, propertyName).map((text) => [text, placed[at]?.$ref ?? ''])),
  ),
});

function memberName(member: Schema, by: string | undefined): string {
  if (member.$ref !== undefined) return '';
  if (member.title !== undefined) return member.title;
  const [text, ...others] = by === undefined ? [] : textsOf(member, by);
  if (text !== undefined) return others.length === 0 ? text : 'other';
  if (hasMembers(member))
    throw new Error(
      `A choice of openapi.json has a member without a name; give it an id: ${JSON.stringify(member).slice(0, 200)}`,
    );
  return [member.type].flat().join('_or_');
}

/** A parameter named `c` meets what generators write themselves. */
function nameParameters(document: ShapedDocument): void {
  const long = (name: string): string => (name.length === 1 ? `element_${name}` : name);
  for (const operation of operationsOf(document))
    for (const parameter of operation.parameters ?? [])
      if (parameter.in === 'path' && parameter.name !== undefined) parameter.name = long(parameter.name);
  document.paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${long(name)}}`),
      methods,
    ]),
  );
}
