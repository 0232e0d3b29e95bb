import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ErrorCodes, type ErrorCode } from '../../errors/codes.ts';
import { refusalsOf } from '../refusals.ts';
import { takesKey, type AnyRoute } from '../route.ts';

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

/** Every body of a refusal (RFC 9457); some codes have members of their own beside these. */
export const ProblemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What was wrong, where, and what to do' }),
    instance: z.string().meta({ description: 'The path of the request' }),
    code: z.enum(Object.keys(ErrorCodes) as [ErrorCode, ...ErrorCode[]]),
    request_id: z.string(),
    errors: z.array(FieldFaultSchema).optional(),
  })
  .meta({ id: 'Problem', description: 'Why the request was refused' });

/**
 * A refusal of each code that these routes give, to which their responses refer; a real one has more about its call (`detail`, `instance`).
 */
export const problemExamples = (routes: readonly AnyRoute[]) =>
  Object.fromEntries([...new Set(routes.flatMap(refusalsOf))].toSorted().map((code) => [code, problemExample(code)]));

function problemExample(code: ErrorCode) {
  const [status, title] = ErrorCodes[code];
  const errors = code === 'VALIDATION_ERROR' && {
    errors: [{ path: 'name', code: 'required', message: 'is required' }],
  };
  const value = {
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

const header = (description: string) => ({ description, schema: { type: 'string' as const } });

/** The answer, and every refusal that the route may give, grouped by status. */
export function responsesOf(route: AnyRoute): ZodOpenApiResponsesObject {
  const answerUnder = (status: AnyRoute['status']): ZodOpenApiResponseObject => ({
    description: status === 201 ? 'Created' : status === 202 ? 'Accepted' : 'Done',
    headers: {
      'X-Request-Id': header('Names this call in the logs of the service'),
      ...(status === 201 && { Location: header('Where the created thing is read, if it has an address of its own') }),
      ...(route.cache !== undefined && { ETag: header('For If-None-Match') }),
      ...(takesKey(route) && {
        'Idempotency-Replayed': header('`true` where an earlier call with this key was answered again'),
      }),
    },
    content: {
      [route.mediaType ?? 'application/json']: { schema: route.reply },
      ...Object.fromEntries((route.alternatives ?? []).map((type) => [type, { schema: { type: 'string' as const } }])),
    },
  });
  const byStatus = Map.groupBy(refusalsOf(route), (code) => ErrorCodes[code][0]);
  const answered = [route.status, ...(route.otherStatus === undefined ? [] : [route.otherStatus])];
  const responses: ZodOpenApiResponsesObject = Object.fromEntries(
    answered.map((status) => [`${status}`, answerUnder(status)]),
  );
  for (const [status, codes] of [...byStatus].toSorted(([a], [b]) => a - b)) {
    responses[`${status}`] = {
      description: codes.map((code) => `\`${code}\`: ${ErrorCodes[code][1]}`).join('. '),
      content: {
        'application/problem+json': {
          schema: ProblemSchema,
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    };
  }
  if (route.cache !== undefined)
    responses['304'] = { description: 'Unchanged since the ETag that If-None-Match names' };
  return responses;
}
