import { isRegisteredEmail, registerEmail } from '../../../accounts/index.ts';
import { email } from '../../../fields/text.ts';
import { keepInOutbox, unsubscribeLink } from '../../../mail/index.ts';
import { DELIVERED, outcomeOfHandingOver } from '../../../outbound/outcomes.ts';
import { openAddress, refusedAddress, type Channel } from '../channel.ts';
import { textOf } from '../event-text.ts';
import { codeMail } from './code-mail.ts';
import { deleteUnsubscribed, isUnsubscribed } from './queries.ts';

export const emailChannel: Channel = {
  ...openAddress,
  words: {
    kind: 'E-mail',
    address: 'Address',
    hint: 'It gets a mail with six digits, unless it is the registered address of the operator.',
    example: 'alerts@example.com',
  },
  isPaid: false,
  signs: false,
  assertConfigured: () => {},
  normalise: async (_context, destination) =>
    email.safeParse(destination).success ? destination.toLowerCase() : refusedAddress('must be an e-mail address'),
  isProven: async (connection, operatorId, address) =>
    (await isRegisteredEmail(connection, operatorId, address)) &&
    !(await isUnsubscribed(connection, operatorId, address)),
  async proved(connection, operatorId, address) {
    await registerEmail(connection, operatorId, address);
    await deleteUnsubscribed(connection, operatorId, address);
  },
  code: { by: 'mail', mailOf: codeMail },
  callOf(context, delivery) {
    const unsubscribe = unsubscribeLink(context, delivery.destination_id);
    const { subject, mail: text } = textOf(context, delivery, unsubscribe);
    const mail = { to: delivery.address, subject, text };
    return async () => {
      if (context.config.mail !== undefined)
        return outcomeOfHandingOver('mail', await context.mailer.send(delivery.id, { ...mail, unsubscribe }));
      await keepInOutbox(context, { channel: 'email', ...mail });
      return DELIVERED;
    };
  },
  isFaultOfReceiver: (reason) => reason === 'refused',
  nameOf: ({ destination_id: id }) => `email destination ${id}`,
};
