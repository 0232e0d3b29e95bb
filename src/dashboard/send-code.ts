import { membershipsOf } from '../accounts/index.ts';
import type { Answered } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { serviceCall } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import { writeMail } from '../mail/index.ts';
import { codeMac, minutesOf, newCode, tooEarlyForCode } from '../one-time-codes/codes.ts';
import { newAskerOf, type Origin } from './asker.ts';
import { takeSignInTurn } from './queries.ts';
import type { RequestCode } from './schema.ts';
import { ticketFor } from './ticket.ts';

/**
 * Mails a one-time code to this address if it is a member's, or to any where somebody registers with it. Answer, statements and limits are the same if it is not, so
 * that nobody learns which addresses are known (decision N2).
 * @returns also the Set-Cookie that names the request
 * @throws CarnetError RATE_LIMITED with Retry-After
 */
export async function sendSignInCode(
  context: Context,
  requestId: string,
  { email, origin, registers = false }: RequestCode & { origin: Origin; registers?: boolean },
): Promise<{ answered: Answered<{ sent: true }>; cookie: string }> {
  const { config, encryption } = context;
  const seconds = config.verificationCodeSeconds;
  const code = newCode();
  const { asker, cookie } = newAskerOf(context, email, origin);
  const call = serviceCall({ operation: 'sendSignInCode', requestId });
  const answered = await runCommand<{ sent: true }>(context, call, async (unit) => {
    const mac = codeMac(encryption, { purpose: 'sign-in-code', subject: asker.address }, code);
    const kept = { code: mac, seconds, email, requestId };
    const wait = await takeSignInTurn(unit.connection, asker, kept);
    if (wait > 0) throw tooEarlyForCode(wait);
    const [member] = await membershipsOf(unit.connection, email);
    const to = member?.email ?? email;
    const ticket = ticketFor(encryption, { email: to, code: mac });
    const text = registers
      ? registrationText({ code, seconds })
      : textOf(config.publicBaseUrl, { code, ticket, seconds });
    await writeMail(context, unit, {
      to,
      subject: registers ? 'Your code to register with Carnet' : 'Your sign-in code for Carnet',
      text,
      seconds,
      wanted: registers || member !== undefined,
    });
    return { status: 202, body: { sent: true } };
  });
  return { answered, cookie };
}

/**
 * The code is alone on its line, so that mail programs can offer it. The first link has neither code nor address, and the second a ticket
 * in place of both, which counts in the browser that requested it alone: servers and proxies write down what is opened, and mail scanners
 * open links.
 */
function textOf(baseUrl: string, { code, ticket, seconds }: { code: string; ticket: string; seconds: number }): string {
  return `Your code to sign in to Carnet:

${code}

It can be used once, within ${minutesOf(seconds)}. Enter it where you requested it, or here:

${baseUrl}/dashboard/sign-in/code

In the browser where you requested it, this link does the same without the code:

${baseUrl}/dashboard/sign-in/link?ticket=${ticket}

If you did not request it, somebody else typed your address; without the code nothing happens.
`;
}

const registrationText = ({
  code,
  seconds,
}: {
  code: string;
  seconds: number;
}): string => `Your code to register with Carnet:

${code}

It can be used once, within ${minutesOf(seconds)}. Enter it where you requested it.

If you did not request it, somebody else typed your address; without the code nothing happens.
`;
