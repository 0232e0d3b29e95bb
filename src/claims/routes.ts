import { z } from 'zod';
import { notFound } from '../errors/carnet-error.ts';
import { cursorList } from '../http/lists/pagination.ts';
import { queryInteger } from '../http/query.ts';
import { MANY_VALUES, route, type AnyRoute } from '../http/route.ts';
import { writtenText } from '../json/prepared.ts';
import { MAX_JSON_DEPTH } from '../json/strict.ts';
import { pageOfClaims } from './claims-page.ts';
import { coSignatureRoutes } from './co-signatures/routes.ts';
import { eraseClaim } from './erase-claim.ts';
import { findJsonSchema, JsonSchemaDocument, schemaDirectory } from './json-schemas.ts';
import { witnessRoutes } from './log/witnesses/routes.ts';
import { logRoutes } from './log/routes.ts';
import { readClaim } from './read-claims.ts';
import { revokeClaim } from './revoke-claim.ts';
import {
  claimFilters,
  ClaimDigestSchema,
  ClaimSchema,
  EraseClaimSchema,
  PayloadSchemasSchema,
  RevokeClaimSchema,
  VerificationSchema,
  VerifyClaimSchema,
} from './schema/claim.ts';
import { EnvelopeSchema } from './schema/envelope.ts';
import { submitClaim } from './submit-claim.ts';
import { verifyClaim } from './verify-claim.ts';

const tag = 'claims';
const audience = 'anyone';
const params = z.object({ id: z.string() });

/** Claims of a page at most, and without `limit`. */
const MAX = 100;
const STANDARD = 20;
/** Lines of an export without `limit`. */
const EXPORTED = 1_000;
const NDJSON = 'application/x-ndjson';

const pages = cursorList({
  name: 'claims',
  item: ClaimSchema,
  position: z.int(),
  maximum: MAX,
  standard: STANDARD,
});

/** Schemas change with a release alone; clients may be an hour late, and the ETag makes a repeated request cheap. */
const SCHEMA_CACHE = 'public, max-age=3600';

const submit = route({
  method: 'post',
  path: '/v1/claims',
  operation: 'submitClaim',
  tag,
  summary: 'Submit a claim',
  description:
    'The body is the envelope; `claim_type` chooses the shape of its payload. A claim that is recorded already (the ' +
    'same digest) is answered with 200, and co-signatures that come along are added to it. A shaped payload may have 256 KiB of JSON, any other ' +
    '64 KiB. The key of an agent submits claims about itself, of the types that are for an agent to state.',
  audience,
  body: EnvelopeSchema,
  maxValues: MANY_VALUES,
  example: {
    envelope_version: 1,
    issuer: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCF',
    subject: 'carnet://agent/ag_01K9ZC4T0M3Q8V6W2X5Y7ZABCG',
    issued_at: 1_795_262_400,
    claim_type: 'intent_claim',
    claim_version: 1,
    payload: {
      type: 'intent_claim',
      intent_type: 'http_call',
      agent_id: 'ag_01K9ZC4T0M3Q8V6W2X5Y7ZABCG',
      named_intent: 'mail:message:send',
      target: 'mail',
      action: 'POST /messages',
      parameters: { url: 'https://mail.example.com/messages' },
      estimated_cost: { wallet_cents: 1, tokens: null, gas_gwei: null },
      reason: 'Inform the customer that the parcel has left.',
      user_subject: null,
      mission_ref: null,
      submitted_at: 1_795_262_400,
    },
    receipt: null,
  },
  status: 201,
  otherStatus: 200,
  reply: ClaimSchema,
  refusals: [
    'ISSUER_MISMATCH',
    'AGENT_CLAIM_FORBIDDEN',
    'INVALID_STATE',
    'INVALID_CO_SIGNATURE',
    'TIER_LIMIT_EXCEEDED',
    'INSUFFICIENT_CREDITS',
  ],
  handler: async ({ context, call, body }) => {
    const answered = await submitClaim(context, call, body);
    const { log_index: index } = answered.body;
    return index === null ? answered : { ...answered, headers: { 'X-Log-Index': String(index) } };
  },
});

export const list = route({
  method: 'get',
  path: '/v1/claims',
  operation: 'listClaims',
  tag,
  summary: 'List the claims that the operator issued and those that concern it, newest first',
  description:
    'With the platform key: all claims. A page ends at about 4 MiB, also where `limit` allows more. With `Accept: application/x-ndjson` each ' +
    `line is a claim, without \`limit\` up to ${EXPORTED} of them; the Link header leads to the rest.`,
  audience,
  query: z.object({
    ...pages.query,
    limit: queryInteger(1, MAX).optional().describe(`Left out: ${STANDARD}, of an export ${EXPORTED}.`),
    ...claimFilters,
  }),
  status: 200,
  reply: pages.reply,
  alternatives: [NDJSON],
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, call, caller, params: none, query } = request;
    const { limit: wanted, cursor, ...filters } = query;
    const isExport = request.preferredType('application/json', NDJSON) === NDJSON;
    const limit = wanted ?? (isExport ? EXPORTED : STANDARD);
    const at = { context, call, params: none, query: { ...filters, limit, cursor } };
    const before = pages.after(at);
    const { claims, lines, next } = await pageOfClaims(context, caller, { filters, before, limit });
    if (!isExport) {
      const { members, links } = pages.next(at, next);
      return { status: 200 as const, body: { claims, ...members }, links };
    }
    return {
      status: 200 as const,
      prepared: writtenText<never>(lines.join('')),
      mediaType: NDJSON,
      headers: { 'Content-Disposition': 'attachment; filename="claims.ndjson"' },
      ...(next !== null && { links: { next: { cursor: pages.sign(at, next) } } }),
    };
  },
});

export const read = route({
  method: 'get',
  path: '/v1/claims/:id',
  operation: 'readClaim',
  tag,
  summary: 'Read a claim',
  description: 'In full for its issuer and for those it concerns; anybody else is shown the digest.',
  audience,
  params,
  status: 200,
  reply: z.union([ClaimSchema, ClaimDigestSchema]),
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({ status: 200, body: await readClaim(context, caller, id) }),
});

export const revoke = route({
  method: 'post',
  path: '/v1/claims/:id/revoke',
  operation: 'revokeClaim',
  tag,
  summary: 'Revoke a claim that you issued',
  description:
    'The claim stays in the log and is read as before, with `revoked_at` and `revoke_reason` beside it; bundles and `POST /v1/claims/verify` say so ' +
    'from then on. It cannot be undone. A claim that is revoked already is answered as it is: the first time and the first reason stand.',
  // An agent may not take back what speaks of it.
  audience: 'operator',
  params,
  body: RevokeClaimSchema,
  example: { reason: 'The measurement was wrong.' },
  status: 200,
  reply: ClaimSchema,
  refusals: ['NOT_FOUND', 'NOT_OWNER'],
  handler: ({ context, call, params: { id }, body }) => revokeClaim(context, call, { id, ...body }),
});

export const erase = route({
  method: 'post',
  path: '/v1/claims/:id/erase',
  operation: 'eraseClaim',
  tag,
  summary: 'Erase the payload of a claim that you issued',
  description:
    'Digest, receipt and place in the log stay, so that what was proven still is; a claim of type ' +
    '`authority_erasure_tombstone` records the erasure. It cannot be undone: who submits the claim again is answered without its payload. ' +
    'So it needs a person.',
  audience: 'admin',
  params,
  body: EraseClaimSchema,
  example: { reason: 'The customer asked for it.' },
  status: 200,
  reply: ClaimSchema,
  refusals: ['NOT_FOUND', 'NOT_OWNER', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) => eraseClaim(context, call, { id, ...body }),
});

export const verify = route({
  method: 'post',
  path: '/v1/claims/verify',
  operation: 'verifyClaim',
  tag,
  summary: 'Verify a claim that you hold, or one that is recorded here',
  description:
    'A claim that is not valid is an answer: `valid` is false, and `errors` say why. A receipt may be given with the envelope; without one ' +
    'the place of the claim in the log is looked up. A co-signature, no matter what is wrong with it, and a receipt of a registry whose key is not known ' +
    'here leave a claim valid.',
  audience,
  readsOnly: true,
  body: VerifyClaimSchema,
  maxValues: MANY_VALUES,
  // An envelope that could be submitted stands one level deeper here.
  maxDepth: MAX_JSON_DEPTH + 1,
  example: { claim_id: 'pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD' },
  status: 200,
  reply: VerificationSchema,
  handler: async ({ context, caller, body }) => ({ status: 200, body: await verifyClaim(context, caller, body) }),
});

const listSchemas = route({
  method: 'get',
  path: '/v1/claims/schemas',
  operation: 'listClaimSchemas',
  tag,
  summary: 'List the claim types and their schemas',
  description: 'Claims of other types are taken too, as statements without a shape.',
  audience: 'public',
  status: 200,
  reply: PayloadSchemasSchema,
  cache: SCHEMA_CACHE,
  handler: async () => ({ status: 200, body: schemaDirectory }),
});

const readSchema = route({
  method: 'get',
  path: '/v1/claims/schemas/:type',
  operation: 'readClaimSchema',
  tag,
  summary: 'Read the JSON Schema of the payload of a claim type, or of the `envelope`',
  description:
    'JSON Schema 2020-12, exactly as the service checks it: the schemas of this document are simplified for generators.',
  audience: 'public',
  params: z.object({ type: z.string() }),
  status: 200,
  reply: JsonSchemaDocument,
  cache: SCHEMA_CACHE,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { type } }) => {
    const prepared = findJsonSchema(context, type);
    if (prepared === null) throw notFound('claim type');
    return { status: 200, prepared };
  },
});

export const claimRoutes: AnyRoute[] = [
  submit,
  list,
  listSchemas,
  readSchema,
  read,
  verify,
  revoke,
  erase,
  ...coSignatureRoutes,
  ...logRoutes,
  ...witnessRoutes,
];
