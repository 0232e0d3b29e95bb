import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import type { AnyRoute } from '../../../../src/http/route.ts';
import { openShell, type Shell } from '../../support/shell.ts';
import { things } from '../../support/things.ts';

export const AUDIENCE = 'https://carnet.example.test';

interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

/** The claims of a token that may be a bad one. */
export type Claims = Record<string, unknown>;

/** An OAuth authorization server of the test's own, over real HTTP: it publishes where its keys are, and the keys. */
export interface Issuer {
  url: string;
  key: SigningKey;
  /** The keys that it publishes; `rotate` puts a new key in the place of all. */
  keys: JWK[];
  rotate(): Promise<void>;
  /** How often each path was requested. */
  served: Record<string, number>;
  /** Answers in the place of its own, by path. */
  instead: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  /** An access token, good for five minutes unless its claims say otherwise; a member that is undefined is left out. */
  token(claims: Claims, header?: { typ?: string | undefined; kid?: string; alg?: string }): Promise<string>;
  close(): Promise<void>;
  /** Listens again on the same port. */
  reopen(): Promise<void>;
}

const METADATA = '/.well-known/oauth-authorization-server';
export const JWKS = '/keys';

interface IssuerOptions {
  /** The path of the issuer, such as `/tenant`; it may end in a slash. */
  path?: string;
  /** Where it tells of itself, in the place of RFC 8414's address. */
  metadataPath?: string;
}

export async function openIssuer({ path = '', metadataPath = METADATA + path }: IssuerOptions = {}): Promise<Issuer> {
  const served: Issuer['served'] = {};
  const instead: Issuer['instead'] = new Map();
  const server = createServer((request, response) => {
    const at = request.url ?? '';
    served[at] = (served[at] ?? 0) + 1;
    const other = instead.get(at);
    if (other !== undefined) return other(request, response);
    if (at === metadataPath) return sendJson(response, { issuer: issuer.url, jwks_uri: `${origin()}${JWKS}` });
    if (at === JWKS) return sendJson(response, { keys: issuer.keys });
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = (): string => `http://127.0.0.1:${port}`;
  const first = await newKey();
  const issuer: Issuer = {
    url: origin() + path,
    key: first,
    keys: [first.jwk],
    served,
    instead,
    async rotate() {
      issuer.key = await newKey();
      issuer.keys = [issuer.key.jwk];
    },
    async token(claims, header = {}) {
      const { kid, alg, privateKey } = issuer.key;
      const now = Math.floor(Date.now() / 1_000);
      const payload = { iss: issuer.url, aud: AUDIENCE, sub: 'robot-7', iat: now, exp: now + 300, ...claims };
      return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
        .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header } as { alg: string })
        .sign(privateKey);
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    async reopen() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
  return issuer;
}

/** The HTTP shell that takes this issuer's access tokens. */
export const openShellFor = ({ url }: Issuer, routes: AnyRoute[] = things): Promise<Shell> =>
  openShell({ routes, settings: { OAUTH_ISSUER: url, OAUTH_AUDIENCE: AUDIENCE } });

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

let made = 0;

export async function newKey(alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  made += 1;
  const kid = `key-${made}`;
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
