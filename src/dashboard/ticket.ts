import type { Encryption } from '../context/encryption.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { Proof } from './prove-address.ts';

/*
 * The link of a mail has a ticket in place of the code: it is sealed, so nobody reads the address in it, and it proves the address in the
 * browser that requested the mail alone. Who finds it in the log of a proxy can do nothing with it.
 */

const PURPOSE = 'sign-in-ticket';

/** The content of a ticket. */
interface Ticket {
  email: string;
  /** The MAC of the code, as its row has it: the ticket counts as long as the code does. */
  code: string;
}

export const ticketFor = ({ encrypt }: Pick<Encryption, 'encrypt'>, { email, code }: Ticket): string =>
  encrypt(`${code} ${email}`, PURPOSE);

/** @returns null where nobody made it here */
export function readTicket({ decrypt }: Pick<Encryption, 'decrypt'>, ticket: string): Ticket | null {
  try {
    const text = decrypt(ticket, PURPOSE);
    const at = text.indexOf(' ');
    return { code: text.slice(0, at), email: text.slice(at + 1) };
  } catch {
    return null; // the cipher and the encoding throw errors of many kinds for what is no ticket
  }
}

export const byTicket =
  ({ code }: Ticket): Proof =>
  (_, sent) => {
    if (sent.own && sent.code === code) return true;
    // Its holder guesses nothing, so no try is counted.
    return new CarnetError(
      'VALIDATION_ERROR',
      sent.own
        ? 'A newer mail has taken the place of this one: use its link or its code.'
        : 'The link counts in the browser where the mail was requested. Open it there, or enter the code of the mail.',
    );
  };
