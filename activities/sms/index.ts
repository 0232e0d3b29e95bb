import type { Context } from '../../src/context/context.ts';
import { keepInOutbox } from '../../src/mail/index.ts';
import type { Texter } from '../../src/notifications/index.ts';

/** Who sends SMS by the settings: Twilio; the outbox; or nobody, where settings that were there are gone. */
export function createTexter(context: Context): Texter {
  const { log } = context;
  return {
    async send(id, { to, text }) {
      const { sms } = context.config;
      if (sms === undefined) {
        log.error({ smsId: id }, 'an SMS is not sent, since TWILIO_ACCOUNT_SID is not set any more');
        return 'not_taken';
      }
      if (sms.provider === 'twilio') {
        const { createTwilioTexter } = await import('./twilio.ts'); // the SDK takes 0.3 s and 37 MB, which a worker without it keeps
        return await createTwilioTexter(sms, log).send(id, { to, text });
      }
      await keepInOutbox(context, { channel: 'sms', to, subject: null, text });
      return 'sent';
    },
  };
}
