import { minutesOf } from '../../one-time-codes/codes.ts';
import type { OpenedCode } from './channel.ts';

/** A code in the 160 characters of the GSM alphabet that make one SMS. It holds no text that the operator chose. */
export const codeLine = ({ code, seconds }: Pick<OpenedCode, 'code' | 'seconds'>): string =>
  `${code} is your code for notifications from Carnet, valid for ${minutesOf(seconds)}. Not expected? Ignore it, and none will be sent.`;
