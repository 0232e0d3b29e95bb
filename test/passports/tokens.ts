import { sign, type KeyObject } from 'node:crypto';
import { newId } from '../../src/ids/ids.ts';

/** A payload that the service could have signed. */
export interface Payload extends Record<string, unknown> {
  iss: string;
  sub: string;
  iat: number;
  exp: number;
  jti: string;
  aud?: string[];
  svcns: Record<string, unknown>;
}

interface PayloadOptions {
  iss: string;
  iat: number;
  exp: number;
  /** Members of `svcns` that are not the usual. */
  svcns?: Record<string, unknown> | undefined;
  idx?: number | undefined;
  aud?: string[] | undefined;
}

export const SCOPE = {
  service_id: 'github',
  service_name: 'GitHub',
  scopes: ['repo:read'],
  credential_ref: null,
  connection_id: 'con_01K0000000000000000000000A',
  allow_data_from: [],
  constraints: [{ param: 'repository', op: 'prefix', value: 'ada/' }],
};

export function payloadOf({ iss, iat, exp, svcns, idx, aud }: PayloadOptions): Payload {
  const agentId = newId('ag');
  return {
    iss,
    sub: agentId,
    iat,
    exp,
    jti: newId('psp'),
    svcns: {
      operator_id: newId('op'),
      agent_id: agentId,
      agent_name: 'researcher',
      services: [SCOPE],
      identity_claims: [],
      authority_refs: [],
      delegation_depth: 0,
      session_id: newId('ses'),
      accountability: 'standard',
      mission_ids: [],
      chain: [],
      ...svcns,
    },
    ...(aud !== undefined && { aud }),
    ...(idx !== undefined && { status: { status_list: { idx, uri: `${iss}/v1/passports/status-list/2026-11-21` } } }),
  };
}

export const base64url = (text: string | Buffer): string => Buffer.from(text).toString('base64url');

/** A compact JWS over any texts, JSON or not; Ed25519 unless `signer` does otherwise. */
export function jws(header: string, payload: string, signer: KeyObject | ((input: Buffer) => Buffer)): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  const signed = typeof signer === 'function' ? signer(Buffer.from(input)) : sign(null, Buffer.from(input), signer);
  return `${input}.${base64url(signed)}`;
}
