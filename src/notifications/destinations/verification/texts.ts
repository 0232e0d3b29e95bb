import { minutesOf } from '../../../one-time-codes/codes.ts';

/*
 * The text that reaches the person who has an address that somebody named. They may not know Carnet, so it says what happened and that nothing
 * follows without them, and holds no text that the operator chose: nobody writes to strangers through us.
 */

interface Code {
  code: string;
  /** How long it is good for. */
  seconds: number;
}

/** The code stands alone on its line, so that mail programs can offer it. */
export const codeMail = ({
  destinationId,
  code,
  seconds,
  baseUrl,
}: Code & { destinationId: string; baseUrl: string }) => ({
  subject: 'Your code for notifications from Carnet',
  text: `An account at Carnet wants to send its notifications to this address. This code agrees:

${code}

It can be used once, within ${minutesOf(seconds)}. The person who set up the notifications enters it here:

POST ${baseUrl}/v1/notifications/destinations/${destinationId}/verify

If you do not know of this, do nothing: without the code no notification is sent to you.
`,
});

/** In the 160 characters of the GSM alphabet that make one SMS. */
export const codeSms = ({ code, seconds }: Code): string =>
  `${code} is your code for notifications from Carnet, valid for ${minutesOf(seconds)}. Not expected? Ignore it, and none will be sent.`;
