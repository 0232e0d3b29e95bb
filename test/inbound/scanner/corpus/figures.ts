import { makeScan } from '../../../../src/inbound/scanner/scan.ts';
import { messagesOf, type Half, type Message } from './messages.ts';

/** How messages were judged; what is high or above is held back by the policy that an endpoint begins with. */
export interface Figures {
  hostile: number;
  harmless: number;
  caught: number;
  falselyHeld: number;
  precision: number;
  recall: number;
  wrong: Message[];
}

export async function figuresOf(half: Half): Promise<Figures> {
  const scan = makeScan();
  const wrong: Message[] = [];
  let caught = 0;
  let falselyHeld = 0;
  const messages = messagesOf(half);
  for (const message of messages) {
    const { verdict } = await scan(message.input);
    const isHeld = verdict.verdict === 'malicious';
    if (isHeld !== message.isHostile) wrong.push(message);
    if (isHeld && message.isHostile) caught += 1;
    if (isHeld && !message.isHostile) falselyHeld += 1;
  }
  const hostile = messages.filter(({ isHostile }) => isHostile).length;
  return {
    hostile,
    harmless: messages.length - hostile,
    caught,
    falselyHeld,
    precision: caught / (caught + falselyHeld),
    recall: caught / hostile,
    wrong,
  };
}
