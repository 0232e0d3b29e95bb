import Koa from 'koa';
import type { Context } from '../context/context.ts';
import { SharedPool } from '../database/shared-pool.ts';
import { answer } from './answer.ts';
import { admission } from './auth/admission.ts';
import { authentication, createAuthentication } from './auth/authentication.ts';
import type { Credentials } from './auth/credential.ts';
import { body } from './body.ts';
import { fairUse } from './fair-use.ts';
import { createHeavyReads, heavyReads } from './heavy-reads.ts';
import { HeldBodies, STANDARD_BODY_LIMITS } from './held-bodies.ts';
import { idempotency } from './idempotency.ts';
import type { Health } from './pages/health-pages.ts';
import type { PathOfPage } from './pages/page.ts';
import { peoplePages, type PagesOfPeople } from './pages/people-pages.ts';
import { servicePages } from './pages/service-pages.ts';
import { problems } from './problems.ts';
import { createRateLimits, rateLimit } from './rate-limit.ts';
import { receiving } from './receiving.ts';
import { records } from './records.ts';
import type { AnyRoute } from './route.ts';
import { guarded, routing } from './routing.ts';
import { securityHeaders } from './security-headers.ts';
import { validation } from './validation.ts';
import { wellFormed } from './well-formed.ts';

/** The parts of the API, besides the context. */
export interface Service {
  routes: AnyRoute[];
  /** Routes that speak another protocol than REST. */
  doors?: AnyRoute[];
  credentials: Credentials;
  /** Pages of domains, for browsers. */
  pages: PathOfPage[];
  /** Those that know who is signed in, and how that is found out. */
  people: PagesOfPeople;
  health?: Health | undefined;
}

/** The API as a Koa application: what happens to every request, in the order of the checks. */
export function createApp(context: Context, service: Service): Koa {
  const { routes, doors = [], credentials, pages, health = {} } = service;
  const { config, log } = context;
  const limits = createRateLimits(config);
  const known = createAuthentication(context, credentials);
  const shared = new SharedPool(context.pool);
  // Apart, so that what strangers send to receivers takes no room from calls and forms.
  const signed = new HeldBodies(STANDARD_BODY_LIMITS);
  const others = new HeldBodies(STANDARD_BODY_LIMITS);
  const heavy = createHeavyReads(context);
  const app = new Koa();
  app.on('error', (error: unknown) => log.debug({ err: error }, 'a connection broke'));
  app
    .use(records(log, config)) // request id, log line, metrics
    .use(problems(log, { strict: !config.production })) // every error as problem+json
    .use(securityHeaders)
    .use(wellFormed) // 400, 417
    .use(servicePages(context, { routes, pages, health, limits, bodies: others })) // what is not below /v1
    .use(peoplePages(context, { ...service.people, known, shared, limits, heavy, bodies: others })) // 403, 429
    .use(routing([...routes, ...doors])) // 404, 405, OPTIONS
    .use(guarded) // of a door: 403
    .use(authentication(known, limits)) // who calls, 429
    .use(rateLimit(limits)) // 429
    .use(admission(config.publicBaseUrl)) // 401, 403
    .use(fairUse(context, shared)) // 429, 503
    .use(receiving) // of the route's receiver: 404, 410
    .use(body({ signed, others })) // 408, 413, 415, 400, 503
    .use(idempotency) // 409
    .use(validation) // 400, 404
    .use(heavyReads(context, heavy)) // 429, 503
    .use(answer(heavy)); // the handler
  return app;
}
