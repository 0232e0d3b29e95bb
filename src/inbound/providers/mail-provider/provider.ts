import type { Provider } from '../provider.ts';
import { hexScheme, mailgun, standardWebhooks, svix } from '../schemes.ts';
import { signedSample } from '../signed-sample.ts';
import { identifyMail, readMail } from './reading.ts';

/** A service that receives mail. */
export const mailProvider: Provider = {
  // Mails have attachments.
  bodyLimit: 10 * 1_048_576,
  waitSeconds: 15,
  schemes: [standardWebhooks, svix, hexScheme, mailgun],
  deliveryIdOf: () => null,
  identify: identifyMail,
  read: readMail,
  sample: (signing, { subject, text }) =>
    signedSample(
      signing,
      JSON.stringify({
        message_id: `<${signing.eventId}@shop.example>`,
        from: 'orders@shop.example',
        to: 'agent@operator.example',
        subject,
        text,
        html: null,
        attachments: [],
      }),
    ),
};
