import { randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createLogger } from '../../src/context/logging.ts';
import { RequestDurations } from '../../src/metrics/request-durations.ts';
import { evaluateTrust } from '../../src/skills/trust/check-trust.ts';
import { CheckTrustSchema, TrustEvaluationSchema } from '../../src/skills/trust/schema.ts';
import { SkillSchema } from '../../src/skills/schema.ts';
import { ready, settings } from './child.ts';

/**
 * The two routes as a user would build them with Fastify, with the duties that Carnet has: security headers, a rate limit by credential,
 * zod in and out, a credential remembered for a second, request ids, a log, durations by operation and status. `headers` chooses between
 * @fastify/helmet and the same headers as constants, which it takes a third of the time to set.
 */

const { skill, key, headers } = settings<{ skill: string; key: string; headers: 'plugin' | 'constant' }>();
const skills = new Map([[(JSON.parse(skill) as { id: string }).id, JSON.parse(skill) as z.input<typeof SkillSchema>]]);

const REMEMBERED_MS = 1_000;
const remembered = new Map<string, { operatorId: string; until: number }>();

/** As if a row were read: what is looked up is kept for a second. */
const lookUp = (authorization: string): Promise<string | undefined> =>
  Promise.resolve(authorization === `Bearer ${key}` ? 'op_bench' : undefined);

async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { authorization = '' } = request.headers;
  const known = remembered.get(authorization);
  if (known !== undefined && known.until > performance.now()) return;
  const operatorId = await lookUp(authorization);
  if (operatorId === undefined) return await reply.code(401).send({ code: 'UNAUTHENTICATED' });
  remembered.set(authorization, { operatorId, until: performance.now() + REMEMBERED_MS });
}

const durations = new RequestDurations();
const contentSecurityPolicy = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
};
const constants = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const app = Fastify({
  loggerInstance: createLogger('info'),
  logController: new LogController({ disableRequestLogging: true }), // as Carnet, which logs at `debug` what changed nothing and went well
  requestIdHeader: 'x-request-id',
  genReqId: () => randomUUID(),
})
  .setValidatorCompiler(validatorCompiler)
  .setSerializerCompiler(serializerCompiler);
if (headers === 'plugin')
  await app.register(helmet, {
    contentSecurityPolicy,
    referrerPolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
  });
await app.register(rateLimit, {
  max: 1_000_000,
  timeWindow: 60_000,
  keyGenerator: (request: FastifyRequest) => request.headers.authorization ?? request.ip,
});
app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
  reply.header('X-Request-Id', request.id).header('Cache-Control', 'no-store');
  if (headers === 'constant') reply.headers(constants);
});
app.addHook('onRequest', authenticate);
app.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) =>
  durations.record(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1_000),
);

const params = z.object({ id: z.string() });
type Params = z.output<typeof params>;
const found = (id: string) => {
  const one = skills.get(id);
  if (one === undefined) throw Object.assign(new Error('There is no such skill.'), { statusCode: 404 });
  return one;
};
const show = async ({ params: { id } }: FastifyRequest<Params>) => found(id);
const checkTrust = async ({ params: { id }, body }: FastifyRequest<Params, z.output<typeof CheckTrustSchema>>) =>
  evaluateTrust(found(id).trust_level_required, body.passport_claims, Math.floor(Date.now() / 1_000));
app.get('/v1/skills/:id', { schema: { params, response: { 200: SkillSchema } } }, show);
app.post(
  '/v1/skills/:id/check-trust',
  { schema: { params, body: CheckTrustSchema, response: { 200: TrustEvaluationSchema } } },
  checkTrust,
);
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.addresses()[0]?.port);
