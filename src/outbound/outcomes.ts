import type { SendOutcome } from './index.ts';

/** The result of one sending, on any channel. Each kind of row has its own words for the four. */
export interface Sending {
  /**
   * `refused`: where it goes takes nothing, now or later. `failed`: it was not taken, and the next may be. `unknown`: it may have been taken,
   * and nobody confirmed it.
   */
  status: 'delivered' | 'refused' | 'failed' | 'unknown';
  /** A word; null where it is delivered. */
  reason: string | null;
  /** The status of a receiver that answered by HTTP. */
  statusCode: number | null;
  /** A sentence; null where it is delivered. */
  error: string | null;
}

export const DELIVERED: Sending = { status: 'delivered', reason: null, statusCode: null, error: null };

export const notDelivered = ({ status, reason, error }: Omit<Sending, 'statusCode'>): Sending => ({
  status,
  reason,
  statusCode: null,
  error,
});

/** By HTTP: only the status of an answer counts, and a redirect is followed by nobody. */
export function outcomeOfCall(answer: SendOutcome): Sending {
  switch (answer.outcome) {
    case 'answered': {
      const { status: statusCode } = answer;
      if (statusCode >= 200 && statusCode < 300) return { ...DELIVERED, statusCode };
      return { status: 'failed', reason: 'http_status', statusCode, error: `The receiver answered ${statusCode}.` };
    }
    case 'refused':
      return notDelivered({ status: 'refused', reason: 'address_refused', error: answer.sentence });
    case 'not_sent':
      return notDelivered({ status: 'failed', reason: answer.cause, error: answer.sentence });
    case 'unknown':
      return notDelivered({ status: 'unknown', reason: answer.cause, error: answer.sentence });
  }
}

/**
 * The result of one try to hand a text to a mail server or a provider of SMS. `refused`: it will never take it, because of the address.
 * `not_taken`: it has not, and may later: it is away, there is none, or it does not accept the settings. `unknown`: it may have taken it.
 */
export type HandedOver = 'sent' | 'refused' | 'not_taken' | 'unknown';

const NOT_SENT: Readonly<
  Record<Exclude<HandedOver, 'sent'>, Pick<Sending, 'status' | 'reason'> & Record<'mail' | 'sms', string>>
> = {
  refused: {
    status: 'refused',
    reason: 'refused',
    mail: 'The mail server refused the mail.',
    sms: 'The provider of SMS refused the number: look whether it is right.',
  },
  not_taken: {
    status: 'failed',
    reason: 'not_taken',
    mail: 'The mail server could not be reached, or did not take the mail.',
    sms: 'The provider of SMS could not be reached, or did not take the SMS.',
  },
  unknown: {
    status: 'unknown',
    reason: 'broken',
    mail: 'The mail was sent, and the mail server did not confirm it.',
    sms: 'The SMS was sent, and the provider did not confirm it.',
  },
};

export function outcomeOfHandingOver(what: 'mail' | 'sms', handed: HandedOver): Sending {
  if (handed === 'sent') return DELIVERED;
  const { status, reason, [what]: error } = NOT_SENT[handed];
  return notDelivered({ status, reason, error });
}
