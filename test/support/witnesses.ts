import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SIGNATURE_TYPE, vkeyOf } from '../../src/fields/verifier-key.ts';

/** Private keys of PKCS #8, from seeds that never change: the instance is started with the public ones, tests sign with these. */
const keyOf = (frame: string, seed: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from(frame, 'hex'), Buffer.alloc(32, seed)]),
    format: 'der',
    type: 'pkcs8',
  });
const ed25519 = (seed: number): KeyObject => keyOf('302e020100300506032b657004220420', seed);
const mlDsa44 = (seed: number): KeyObject => keyOf('3034020100300b060960864801650304031104228020', seed);

/** Witnesses that every instance of the tests knows. */
export const WITNESS = { name: 'witness.example/w1', ed25519: ed25519(1), mlDsa44: mlDsa44(2) };
/** A registry whose receipts it knows. */
export const REGISTRY = { name: 'https://registry.example.com', privateKey: ed25519(3) };

export const witnessVkeys = {
  ed25519: vkeyOf(WITNESS.name, createPublicKey(WITNESS.ed25519), SIGNATURE_TYPE.ed25519Cosignature),
  mlDsa44: vkeyOf(WITNESS.name, createPublicKey(WITNESS.mlDsa44), SIGNATURE_TYPE.mlDsa44Cosignature),
};

/** The settings of an instance that knows them. */
export const knownKeys = {
  WITNESS_KEYS: Object.values(witnessVkeys).join(','),
  REGISTRY_KEYS: vkeyOf(REGISTRY.name, createPublicKey(REGISTRY.privateKey)),
};
