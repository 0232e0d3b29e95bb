import { isRegisteredEmail, registerEmail } from '../../../accounts/index.ts';
import { email } from '../../../fields/text.ts';
import { keepInOutbox } from '../../../mail/index.ts';
import { DELIVERED, outcomeOfHandingOver } from '../../../outbound/outcomes.ts';
import { openAddress, refusedAddress, type Channel } from '../channel.ts';
import { textOf } from '../event-text.ts';
import { codeMail } from './code-mail.ts';

export const emailChannel: Channel = {
  ...openAddress,
  isPaid: false,
  signs: false,
  assertConfigured: () => {},
  normalise: async (_context, destination) =>
    email.safeParse(destination).success ? destination.toLowerCase() : refusedAddress('must be an e-mail address'),
  isProven: isRegisteredEmail,
  proved: registerEmail,
  code: { by: 'mail', mailOf: codeMail },
  callOf(context, delivery) {
    const { subject, mail: text } = textOf(context, delivery);
    const mail = { to: delivery.address, subject, text };
    return async () => {
      if (context.config.mail !== undefined)
        return outcomeOfHandingOver('mail', await context.mailer.send(delivery.id, mail));
      await keepInOutbox(context, { channel: 'email', ...mail });
      return DELIVERED;
    };
  },
  isFaultOfReceiver: (reason) => reason === 'refused',
  nameOf: ({ destination_id: id }) => `email destination ${id}`,
};
