import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jws, type Payload } from '../../tokens.ts';

/** One hostile token, and the one reason with which it must be refused. */
export interface Attack {
  name: string;
  token: string;
  reason: string;
}

/** The parts that attacks are made of: a passport that counts, and our own private key, which a real attacker would lack. */
export interface Target {
  kid: string;
  /** The kid of a key of ours that does not sign yet. */
  nextKid: string;
  key: KeyObject;
  payload: Payload;
  /** The address of a server that must get no request. */
  trap: string;
}

export type Header = Record<string, unknown>;
type Signer = KeyObject | ((input: Buffer) => Buffer);

/** A key of nobody. */
export const attacker = generateKeyPairSync('ed25519');

export const headerOf = ({ kid }: Target): Header => ({ alg: 'EdDSA', kid, typ: 'JWT' });

/** The good token but for its header; signed by us unless `signer` is another. */
export const withHeader = (target: Target, change: Header, signer: Signer = target.key): string =>
  jws(JSON.stringify({ ...headerOf(target), ...change }), JSON.stringify(target.payload), signer);

/** The good token but for its payload; signed by us unless `signer` is another. */
export const withPayload = (target: Target, payload: string, signer: Signer = target.key): string =>
  jws(JSON.stringify(headerOf(target)), payload, signer);

export const list = (reason: string, tokens: Record<string, string>): Attack[] =>
  Object.entries(tokens).map(([name, token]) => ({ name, token, reason }));

export const mapped = <T>(values: Record<string, T>, token: (value: T) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, token(value)]));
