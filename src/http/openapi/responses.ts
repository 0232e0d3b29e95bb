import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ErrorCodes } from '../../errors/codes.ts';
import { refusalsOf } from '../refusals.ts';
import { takesKey, type AnyRoute } from '../route.ts';
import { problemSchemaOf } from './problems.ts';

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
  for (const [status, refused] of [...byStatus].toSorted(([a], [b]) => a - b)) {
    responses[`${status}`] = {
      description: refused.map((code) => `\`${code}\`: ${ErrorCodes[code][1]}`).join('. '),
      content: {
        'application/problem+json': {
          schema: problemSchemaOf(status),
          examples: Object.fromEntries(refused.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    };
  }
  if (route.cache !== undefined)
    responses['304'] = { description: 'Unchanged since the ETag that If-None-Match names' };
  return responses;
}
