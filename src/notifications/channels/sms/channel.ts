import { assertThat, CarnetError } from '../../../errors/carnet-error.ts';
import { outcomeOfHandingOver } from '../../../outbound/outcomes.ts';
import { openAddress, provenByCode, refusedAddress, type Channel } from '../channel.ts';
import { codeLine } from '../code-line.ts';
import { textOf } from '../event-text.ts';

/** Characters that a number may be written with between its digits. */
const SEPARATORS = /[\s().-]/g;
const E164 = /^\+[1-9]\d{6,14}$/;

export const smsChannel: Channel = {
  ...openAddress,
  ...provenByCode,
  words: {
    kind: 'SMS',
    address: 'Telephone number',
    hint: 'With + and the code of its country. It gets an SMS with six digits.',
    example: '+15551230000',
  },
  isPaid: true,
  signs: false,
  /** @throws CarnetError SMS_NOT_CONFIGURED */
  assertConfigured(config) {
    assertThat(
      config.sms !== undefined,
      () =>
        new CarnetError(
          'SMS_NOT_CONFIGURED',
          'This service sends no SMS: TWILIO_ACCOUNT_SID is not set. Use e-mail or a webhook.',
        ),
    );
  },
  async normalise(_context, destination) {
    const number = destination.replace(SEPARATORS, '');
    return E164.test(number)
      ? number
      : refusedAddress('must be a telephone number with + and the code of its country, as +15551230000');
  },
  code: {
    by: 'call',
    callOf({ texter }, { id, address: to, ...code }) {
      const text = codeLine(code);
      return async () => outcomeOfHandingOver('sms', await texter.send(id, { to, text }));
    },
  },
  callOf(context, delivery) {
    const { sms: text } = textOf(context, delivery);
    const { id, address: to } = delivery;
    return async () => outcomeOfHandingOver('sms', await context.texter.send(id, { to, text }));
  },
  isFaultOfReceiver: (reason) => reason === 'refused',
  nameOf: ({ destination_id: id }) => `sms destination ${id}`,
};
