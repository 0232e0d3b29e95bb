import { makeBodyScanner } from '../../../../src/inbound/scanner/scan.ts';
import { isTwin, messagesOf, type Half, type Message } from './messages.ts';

/** How messages were judged; what is high or above is held back by the policy that an endpoint begins with. */
export interface Figures {
  hostile: number;
  harmless: number;
  caught: number;
  falselyHeld: number;
  /** Beside the harmless: twins of attacks and texts with words of attacks, and how many of them were held. They do not count in the precision. */
  twins: number;
  twinsHeld: number;
  precision: number;
  recall: number;
  wrong: Message[];
}

export async function figuresOf(half: Half): Promise<Figures> {
  const { scan } = makeBodyScanner();
  const wrong: Message[] = [];
  let caught = 0;
  let falselyHeld = 0;
  const messages = messagesOf(half);
  for (const message of messages) {
    const { verdict } = await scan(message.input);
    const isHeld = verdict === 'malicious';
    if (isHeld !== message.isHostile) wrong.push(message);
    if (isHeld && message.isHostile) caught += 1;
    if (isHeld && !message.isHostile && !isTwin(message)) falselyHeld += 1;
  }
  const hostile = messages.filter(({ isHostile }) => isHostile).length;
  const twins = messages.filter(isTwin).length;
  return {
    hostile,
    harmless: messages.length - hostile - twins,
    caught,
    falselyHeld,
    twins,
    twinsHeld: wrong.filter(isTwin).length,
    precision: caught / (caught + falselyHeld),
    recall: caught / hostile,
    wrong,
  };
}
