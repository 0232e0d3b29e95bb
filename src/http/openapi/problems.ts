import { z } from 'zod';
import { ErrorCodes, type ErrorCode } from '../../errors/codes.ts';
import { ErrorMembers } from '../../errors/members.ts';
import { refusalsOf } from '../refusals.ts';
import type { AnyRoute } from '../route.ts';

const FieldFaultSchema = z
  .object({
    path: z
      .string()
      .meta({ description: 'Dotted from the root of the body, or `query.…`, `header.…`; ends in the property.' }),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'FieldFault', examples: [{ path: 'name', code: 'required', message: 'is required' }] });

const REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

const codes = Object.keys(ErrorCodes) as ErrorCode[];
const statusOf = (code: ErrorCode): number => ErrorCodes[code][0];

/** The members that every refusal has (RFC 9457). */
const problemMembers = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: 'The fault, its place, and what to do' }),
  instance: z.string().meta({ description: 'The path of the request' }),
  request_id: z.string(),
  errors: z.array(FieldFaultSchema).optional(),
};

/** The names of the schemas of problems whose status has codes with members of their own. */
const NAMES: Partial<Record<number, string>> = {
  400: 'BadRequestProblem',
  402: 'PaymentRequiredProblem',
  403: 'ForbiddenProblem',
  409: 'ConflictProblem',
  429: 'TooManyRequestsProblem',
  502: 'BadGatewayProblem',
};

const bare = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;

const codeOf = (choices: ErrorCode[]) => z.enum(choices as [ErrorCode, ...ErrorCode[]]);

/** By status: its problems with the further members of its codes. They are optional where the status has another code as well. */
const problemsByStatus = new Map(
  [...Map.groupBy(codes, statusOf)].flatMap(([status, choices]) => {
    const ofCodes = choices.flatMap((code) =>
      Object.entries(ErrorMembers[code] ?? {}).map(([name, schema]) => ({ name, schema: schema as z.ZodType, code })),
    );
    if (ofCodes.length === 0) return [];
    const id = NAMES[status];
    if (id === undefined) throw new Error(`problems.ts names no schema for the problems of ${status}`);
    const members = [...Map.groupBy(ofCodes, ({ name }) => name)].map(([name, [first, ...others]]) => {
      if (first === undefined) throw new Error(`${name} belongs to no code`);
      const byWords = Map.groupBy([first, ...others], ({ schema }) => bare(schema).meta()?.description ?? '');
      const described = [...byWords].map(([words, of]) => `${of.map(({ code }) => code).join(', ')}: ${words}`);
      const [, ...otherCodes] = choices;
      const schema = otherCodes.length === 0 ? first.schema : bare(first.schema).optional();
      return [name, schema.meta({ description: described.join('. ') })] as const;
    });
    const description = `Why the request was refused, with ${status}`;
    const schema = z.looseObject({ ...problemMembers, code: codeOf(choices), ...Object.fromEntries(members) });
    return [[status, schema.meta({ id, description })] as const];
  }),
);

/** A refusal under a status of which no code has further members; a schema of its own has every other one. */
const ProblemSchema = z
  .looseObject({ ...problemMembers, code: codeOf(codes.filter((code) => !problemsByStatus.has(statusOf(code)))) })
  .meta({ id: 'Problem', description: 'Why the request was refused' });

/** Returns the schema of the bodies of refusals with this status. */
export const problemSchemaOf = (status: number): z.ZodType => problemsByStatus.get(status) ?? ProblemSchema;

/**
 * A refusal of each code that these routes give, to which their responses refer; a real one has more about its call (`detail`, `instance`).
 */
export const problemExamples = (routes: readonly AnyRoute[]) =>
  Object.fromEntries([...new Set(routes.flatMap(refusalsOf))].toSorted().map((code) => [code, problemExample(code)]));

const MEMBERS_OF_EXAMPLES: Partial<Record<ErrorCode, Record<string, unknown>>> = {
  INSUFFICIENT_CREDITS: {
    required_cents: 25,
    balance_cents: 10,
    top_up_url: 'https://carnet.example/docs#/billing/createTopUp',
  },
  GOVERNANCE_APPROVAL_REQUIRED: {
    approval_id: 'apr_01KEXAMPLE0000000000000000',
    approval_url: 'https://carnet.example/dashboard/approvals/apr_01KEXAMPLE0000000000000000',
    expires_at: '2026-11-22T12:00:00.000Z',
  },
};

function problemExample(code: ErrorCode) {
  const [status, title] = ErrorCodes[code];
  const errors = code === 'VALIDATION_ERROR' && {
    errors: [{ path: 'name', code: 'required', message: 'is required' }],
  };
  const value = {
    ...MEMBERS_OF_EXAMPLES[code],
    type: `urn:carnet:problem:${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: '/v1/…',
    code,
    request_id: REQUEST_ID,
    ...errors,
  };
  return { summary: title, value };
}
