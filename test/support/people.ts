import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { addressMac } from '../../src/dashboard/address-mac.ts';
import { sql } from '../../src/database/pool.ts';
import { createEncryption } from '../../src/context/encryption.ts';
import { newId } from '../../src/ids/ids.ts';
import { eventually } from './eventually.ts';
import { unique, type TestOperator } from './factories.ts';
import { PATIENCE_MS } from './pasted.ts';
import { assertStatus, database, platform, requester, service, type Reply, type Requester } from './service.ts';

export interface Message {
  id: string;
  channel: string;
  to: string;
  subject: string;
  text: string;
  created_at: string;
}

/** The mails of the service to this address, newest first. */
export const mailsTo = async (email: string): Promise<Message[]> =>
  assertStatus(await platform().get<{ messages: Message[] }>(`/v1/admin/outbox?to=${encodeURIComponent(email)}`), 200)
    .messages;

/** The newest code that was mailed to this address: six digits on their own. */
export async function codeFor(email: string): Promise<string> {
  const mails = await mailsTo(email);
  const code = mails.map(({ text }) => /^\d{6}$/m.exec(text)).find((found) => found !== null)?.[0];
  assert(code !== undefined, `no code was mailed to ${email}`);
  return code;
}

/** Requests a code, and returns the one that was mailed. */
export async function mailedCode(email: string): Promise<string> {
  await moveCode(email, 'sent_at', -31);
  assertStatus(await requester(null).post('/v1/dashboard/sessions', { email }), 202);
  return codeFor(email);
}

/** Moves a time of the codes of an address; rows hold only a MAC of the address. */
export async function moveCode(email: string, column: 'sent_at' | 'expires_at', seconds: number): Promise<void> {
  const key = await readFile(join(service().dataDir, 'encryption.key'), 'utf8');
  const address = addressMac(createEncryption([Buffer.from(key, 'base64')]), email);
  const moved = sql.identifier([column]);
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    update sign_in_codes set ${moved} = ${moved} + make_interval(secs => ${seconds}) where address = ${address}`);
}

/**
 * Runs `work`, in which the owner of the demo operator signs in as a page of docs has it, while no other file does: a code replaces the
 * one before it, and two are sent half a minute apart.
 */
export async function asTheDemoOwnerAlone<T>(work: () => Promise<T>): Promise<T> {
  const pool = await database();
  return await pool.connect(async (connection) => {
    const lock = sql.fragment`hashtext('the owner of the demo operator')`;
    const Taken = z.object({ taken: z.boolean() });
    await eventually(
      'other files to have signed in',
      () => connection.oneFirst(sql.type(Taken)`select pg_try_advisory_lock(${lock}) as taken`),
      { seconds: PATIENCE_MS / 1_000 },
    );
    try {
      await moveCode(service().credentials.email, 'sent_at', -31);
      return await work();
    } finally {
      await connection.query(sql.type(z.object({}))`select from pg_advisory_unlock(${lock})`);
    }
  });
}

/** The `name=value` of a cookie that a browser would send back. */
export const cookieOf = (reply: Reply<unknown>): string => {
  const [cookie] = reply.headers.getSetCookie();
  assert(cookie !== undefined, 'a cookie is set');
  return cookie.slice(0, cookie.indexOf(';'));
};

export const baseOrigin = (): string => new URL(service().baseUrl).origin;

/** A person in a browser at a page of the service. */
export interface Person extends Requester {
  cookie: string;
}

/** Sends requests with the session cookie, from a page of the service. */
export function browser(cookie: string): Person {
  const plain = requester(null);
  const sent = (headers: Record<string, string> = {}) => ({ cookie, origin: baseOrigin(), ...headers });
  return {
    key: null,
    cookie,
    get: (path, headers) => plain.get(path, sent(headers)),
    post: (path, body, headers) => plain.post(path, body, sent(headers)),
    patch: (path, body, headers) => plain.patch(path, body, sent(headers)),
    put: (path, body, headers) => plain.put(path, body, sent(headers)),
    delete: (path, headers) => plain.delete(path, sent(headers)),
  };
}

/** Signs in with a code by mail. */
export async function signIn(email: string, operatorId?: string): Promise<Person> {
  const code = await mailedCode(email);
  const body = { email, code, ...(operatorId !== undefined && { operator_id: operatorId }) };
  const reply = await requester(null).post('/v1/dashboard/sessions/verify', body);
  assertStatus(reply, 200);
  return browser(cookieOf(reply));
}

export type Role = 'owner' | 'admin' | 'member';

/** Makes the holder of an address a member, as an owner would. @returns the member's id */
export async function insertMember(
  operatorId: string,
  { email, role }: { email: string; role: Role },
): Promise<string> {
  const id = newId('mem');
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    insert into members (id, operator_id, email, role, joined_at)
    values (${id}, ${operatorId}, ${email}, ${role}, clock_timestamp())`);
  return id;
}

/** Makes a person a member of an operator and signs them in. */
export async function buildPerson(
  { operatorId }: Pick<TestOperator, 'operatorId'>,
  role: Role = 'admin',
): Promise<Person & { memberId: string; email: string }> {
  const email = `${unique('person')}@example.test`;
  const memberId = await insertMember(operatorId, { email, role });
  return { ...(await signIn(email)), memberId, email };
}

/** Unblocks an agent as a person who has just looked at it. */
export async function unblock(person: Requester, agentId: string): Promise<Reply> {
  const { digest } = assertStatus(await person.get<{ digest: string }>(`/v1/agents/${agentId}/conduct`), 200);
  return person.post(`/v1/agents/${agentId}/unblock`, { seen: digest });
}
