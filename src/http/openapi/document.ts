import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
} from 'zod-openapi';
import { VERSION } from '../../context/version.ts';
import { problemExamples } from './problems.ts';
import { responsesOf } from './responses.ts';
import { shapeForClients, type ShapedDocument } from './shape.ts';
import { audiences, type Audience } from '../auth/audience.ts';
import { SESSION_COOKIE } from '../auth/session-cookie.ts';
import { takesBody, takesKey, type AnyRoute, type SentWebhook } from '../route.ts';
import { Tags } from './tags.ts';

const IdempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]+$/)
  .optional()
  .meta({
    description:
      'Printable ASCII. Repeats with the same key and body are answered from the first one, for 24 hours, with `Idempotency-Replayed: true`.',
    param: { id: 'IdempotencyKey', in: 'header', name: 'Idempotency-Key' },
  });

const PreferWait = z
  .string()
  .optional()
  .meta({
    description: '`wait=N`: wait up to N seconds, 1 to 60, for the outcome. Any other preference is ignored.',
    param: { id: 'PreferWait', in: 'header', name: 'Prefer', example: 'wait=20' },
  });

const GovernanceApproval = z
  .string()
  .optional()
  .meta({
    description:
      'The `approval_id` of a refusal with GOVERNANCE_APPROVAL_REQUIRED, once a person has approved it; good for once.',
    param: { id: 'GovernanceApproval', in: 'header', name: 'X-Governance-Approval' },
  });

/** Which credentials a route takes, where not both: people decide without keys. */
function securityOf(audience: Audience): ZodOpenApiOperationObject['security'] {
  if (audience === 'public') return [];
  return audiences[audience].person ? [{ session: [] }] : undefined;
}

/**
 * The OpenAPI 3.1 document, from the same objects that guard the requests, in the shape that generators of clients can use:
 * docs/clients.md#how-the-document-is-shaped has the reasons.
 * The address of the server is not in it.
 */
export function openApiDocument(routes: readonly AnyRoute[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Carnet',
      version: VERSION,
      description:
        'Identity, work, money and evidence for AI agents. Refusals are `application/problem+json` with a stable `code`.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: Object.entries(Tags).flatMap(([name, description]) =>
      description !== null && routes.some((route) => route.tag === name) ? [{ name, description }] : [],
    ),
    paths,
    webhooks: Object.fromEntries(
      routes.flatMap(({ tag, sends = [] }) => sends.map((sent) => [sent.name, { post: webhookOf(tag, sent) }])),
    ),
    components: {
      examples: problemExamples(routes),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key `svc_live_…` of an operator or an agent, an access token of the OAuth issuer if there is one, or the platform key.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The dashboard session of a person; behind https the name begins with `__Host-`. What changes something needs the header Origin of the service as well.',
        },
      },
    },
  };
  // Plain values, each in one place: what zod-openapi returns shares parts between places.
  const plain = JSON.parse(JSON.stringify(createDocument(document))) as ReturnType<typeof createDocument> &
    ShapedDocument;
  shapeForClients(plain);
  return plain;
}

function operationOf(route: AnyRoute): ZodOpenApiOperationObject {
  const { operation, tag, summary, description, audience, params, query } = route;
  const security = securityOf(audience);
  return {
    operationId: operation,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(security && { security }),
    requestParams: {
      ...(params && { path: asObject(params) }),
      ...(query && { query: asObject(query) }),
      ...(route.takesSigned && { header: asObject(route.takesSigned.headers) }),
    },
    parameters: [
      ...(takesKey(route) ? [IdempotencyKey] : []),
      ...(route.waits === true ? [PreferWait] : []),
      ...(route.refusals?.includes('GOVERNANCE_APPROVAL_REQUIRED') === true ? [GovernanceApproval] : []),
    ],
    ...(takesBody(route) && route.body && { requestBody: requestBodyOf(route, route.body) }),
    responses: responsesOf(route),
  };
}

/** The receiver is no part of this service: any 2xx is good, and what else it answers is its own. */
const webhookOf = (
  tag: AnyRoute['tag'],
  { operation, summary, description, headers, body, example }: SentWebhook,
): ZodOpenApiOperationObject => ({
  operationId: operation,
  tags: [tag],
  summary,
  description,
  security: [],
  requestParams: { header: headers },
  requestBody: { required: true, content: { 'application/json': { schema: body, example } } },
  responses: { '2XX': { description: 'The receiver has taken it; what it answers is not read' } },
});

function requestBodyOf({ example, takesForms, takesSigned }: AnyRoute, body: z.ZodType): ZodOpenApiRequestBodyObject {
  const media = { schema: body, ...(example !== undefined && { example }) };
  if (takesSigned !== undefined)
    return { required: true, content: Object.fromEntries(takesSigned.mediaTypes.map((type) => [type, media])) };
  // A second media type for the same body would be a second body to generators, and code that one of them cannot load.
  return {
    required: !body.safeParse({}).success,
    ...(takesForms === true && { description: 'Or with the same members as `application/x-www-form-urlencoded`.' }),
    content: { 'application/json': media },
  };
}

/** Parameters are declared as objects, maybe with a check of their own behind. */
const asObject = (schema: z.ZodType) => schema as z.ZodType<unknown, Record<string, unknown>>;
