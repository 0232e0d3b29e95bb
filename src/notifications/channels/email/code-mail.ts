import { minutesOf } from '../../../one-time-codes/codes.ts';
import type { OutgoingCode } from '../channel.ts';

/**
 * The text that reaches the person who has an address that somebody named. They may not know Carnet, so it says what happened and that nothing
 * follows without them, and holds no text that the operator chose: nobody writes to strangers through us. The code stands alone on its line,
 * so that mail programs can offer it.
 */
export const codeMail = ({ destinationId, code, seconds, publicBaseUrl }: OutgoingCode) => ({
  subject: 'Your code for notifications from Carnet',
  text: `An account at Carnet wants to send its notifications to this address. This code agrees:

${code}

It can be used once, within ${minutesOf(seconds)}. The person who set up the notifications enters it here:

POST ${publicBaseUrl}/v1/notifications/destinations/${destinationId}/verify

If you do not know of this, do nothing: without the code no notification is sent to you.
`,
});
