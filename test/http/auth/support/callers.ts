import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../../src/database/pool.ts';
import { PLATFORM_OPERATOR_ID } from '../../../../src/ids/ids.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  buildPartner,
  suspend,
  unique,
} from '../../../support/factories.ts';
import { settingsBeside, startRole } from '../../../support/role.ts';
import { insertMember } from '../../../support/people.ts';
import { database, requester, service } from '../../../support/service.ts';
import { issued } from './belongings.ts';
import { AUDIENCE, openIssuer } from './issuer.ts';
import { signIn, type Place } from './session.ts';

/** Every kind of credential there is, and the ways in which one can be less than good. */
export const callers = [
  'nobody',
  'a made-up key',
  'an admin key',
  'a member key',
  'an agent key',
  "a blocked agent's key",
  'a passport',
  'a partner key',
  'an admin token',
  'a member token',
  'a session without Origin',
  "an owner's session",
  "an administrator's session",
  "a member's session",
  'the platform key',
  "a platform owner's session",
  "a platform member's session",
  "a suspended operator's key",
  "a foreign operator's key",
] as const;
export type Who = (typeof callers)[number];

export interface World extends Place {
  /** The headers that show each of them. */
  headers: Record<Who, Record<string, string>>;
  close(): Promise<void>;
}

const bearer = (token: string | null): Record<string, string> => {
  assert(token !== null);
  return { authorization: `Bearer ${token}` };
};

/** A process of the service that takes OAuth tokens too, and one caller of each kind, all but two of one operator. */
export async function openWorld(): Promise<World> {
  const issuer = await openIssuer();
  const api = await startRole('api', {
    ...(await settingsBeside(service())),
    OAUTH_ISSUER: issuer.url,
    OAUTH_AUDIENCE: AUDIENCE,
  });
  const { baseUrl } = api;
  const place = { baseUrl, platform: requester(service().credentials.admin_api_key, baseUrl) };
  const owner = await buildOperator({ tier: 'pro' });
  const [suspended, foreign, agent, blocked] = await Promise.all([
    buildOperator(),
    buildOperator(),
    buildAgent(owner),
    buildAgent(owner),
  ]);
  const anHourHence = Math.floor(Date.now() / 1_000) + 3_600;
  const token = (scope: string): Promise<string> =>
    issuer.token({ operator_id: owner.operatorId, scope, exp: anHourHence });
  const session = async (role: 'owner' | 'admin' | 'member'): Promise<Record<string, string>> => {
    const email = role === 'owner' ? owner.email : `${unique(role)}@example.test`;
    if (role !== 'owner') await insertMember(owner.operatorId, { email, role });
    return { cookie: await signIn(place, email) };
  };
  const [ownerSession, adminSession, memberSession] = [
    await session('owner'),
    await session('admin'),
    await session('member'),
  ];
  const platformSession = async (role: 'owner' | 'member'): Promise<Record<string, string>> => {
    const email = `${unique('platform')}@example.test`;
    await insertMember(PLATFORM_OPERATOR_ID, { email, role });
    return { cookie: await signIn(place, email) };
  };
  const [platformOwner, platformMember] = [await platformSession('owner'), await platformSession('member')];
  const withOrigin = { origin: baseUrl };
  const headers: World['headers'] = {
    nobody: {},
    'a made-up key': bearer(`svc_live_${'x'.repeat(43)}`),
    'an admin key': bearer(owner.key),
    'a member key': bearer((await buildMemberKey(owner)).key),
    'an agent key': bearer((await buildAgentKey(owner, agent.id)).key),
    "a blocked agent's key": bearer((await buildAgentKey(owner, blocked.id)).key),
    'a passport': bearer((await issued(requester(owner.key, baseUrl), agent.id)).token),
    'a partner key': bearer((await buildPartner(owner)).key),
    'an admin token': bearer(await token('admin')),
    'a member token': bearer(await token('member')),
    "an owner's session": { ...ownerSession, ...withOrigin },
    "an administrator's session": { ...adminSession, ...withOrigin },
    "a member's session": { ...memberSession, ...withOrigin },
    'a session without Origin': ownerSession,
    'the platform key': bearer(place.platform.key),
    "a platform owner's session": { ...platformOwner, ...withOrigin },
    "a platform member's session": { ...platformMember, ...withOrigin },
    "a suspended operator's key": bearer(suspended.key),
    "a foreign operator's key": bearer(foreign.key),
  };
  const pool = await database();
  await pool.query(sql.type(z.object({}))`update agents set status = 'blocked' where id = ${blocked.id}`);
  await suspend(suspended.operatorId);
  return {
    ...place,
    headers,
    async close() {
      await api.stop();
      await issuer.close();
    },
  };
}
