import type { Body, ScanInput } from '../reading/body.ts';
import type { ReadBody } from '../reading/keys.ts';
import { providers } from './registry.ts';

/** Reads what identifies a body, immediately. @throws UnreadableBody */
export const readBody = ({ provider, ...sent }: ScanInput): ReadBody => providers[provider].identify(sent);

/** Reads the whole body, with every text that is scanned. @throws UnreadableBody */
export const readWhole = ({ provider, ...sent }: ScanInput): Promise<Body> => providers[provider].read(sent);
