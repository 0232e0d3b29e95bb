import type { Context } from '../../context/context.ts';
import type { Encryption } from '../../context/encryption.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import { email } from '../../fields/text.ts';
import type { ChannelType } from './schema.ts';

/** Characters that a number may be written with between its digits. */
const SEPARATORS = /[\s().-]/g;
const E164 = /^\+[1-9]\d{6,14}$/;

const refused = (message: string, code = 'invalid_format'): CarnetError =>
  invalid({ path: 'destination', message, code });

/**
 * An address in the one spelling in which equal ones are equal: e-mail in lower case, a number in E.164, a URL as WHATWG writes it. A URL
 * is also looked up, and refused where it leads to what is not on the internet; where DNS does not say, each call decides again.
 * @returns the refusal where it is none, VALIDATION_ERROR at `destination`
 */
export async function normalise(
  { outbound }: Pick<Context, 'outbound'>,
  { channel_type: channel, destination }: { channel_type: ChannelType; destination: string },
): Promise<string | CarnetError> {
  if (channel === 'email') {
    return email.safeParse(destination).success ? destination.toLowerCase() : refused('must be an e-mail address');
  }
  if (channel === 'sms') {
    const number = destination.replace(SEPARATORS, '');
    return E164.test(number)
      ? number
      : refused('must be a telephone number with + and the code of its country, as +15551230000');
  }
  const url = outbound.parse(destination);
  if (url.outcome === 'refused') return refused(url.sentence, url.rule);
  const found = await outbound.check(destination);
  return found.outcome === 'refused' ? refused(found.sentence, found.rule) : url.href;
}

/** Returns what is stored of an address with the codes that were sent to it: the limit is the same no matter who names it. */
export const destinationMac = ({ mac }: Encryption, channel: ChannelType, address: string): string =>
  mac(`${channel}:${address}`, 'destination-address');
