import { connect, type Socket } from 'node:net';

/** Returns what a server says to bytes that no HTTP client would send; ends when the server closes or `until` matches. */
export function exchangeBytes(port: number, bytes: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(50_000, () => socket.destroy(new Error(`no end of the answer: ${answer}`)));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (until?.test(answer) === true) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (answer === '') reject(error);
    });
    socket.on('close', () => resolve(answer));
  });
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

/** A connection on which bytes are sent as the test likes. */
export interface RawSender {
  socket: Socket;
  /** The answer so far. */
  answer: string;
  /** A fault of the connection: a reset, say. */
  fault: string | undefined;
  /** Ends when the system has taken the bytes, or the connection is gone. */
  write(bytes: Buffer): Promise<void>;
}

export function rawSender(port: number): RawSender {
  const socket = connect(port, '127.0.0.1');
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      socket.write(bytes, () => resolve());
    });
  const sender: RawSender = { socket, answer: '', fault: undefined, write };
  socket.on('data', (chunk: Buffer) => {
    sender.answer += chunk.toString('latin1');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    sender.fault = error.code ?? error.message;
  });
  return sender;
}
