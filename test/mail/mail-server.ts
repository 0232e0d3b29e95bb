import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import { SMTPServer } from 'smtp-server';

/** One message as it arrived. */
interface Received {
  from: string;
  to: string[];
  /** The message as sent, head and body. */
  raw: string;
}

export interface MailServer {
  port: number;
  received: Received[];
  stop(): Promise<void>;
}

interface MailServerOptions {
  /** 0: a free one. */
  port?: number;
  /** The code with which it refuses every recipient, e.g. 550; by default it accepts all. */
  refuses?: number | undefined;
  /** The act of the server once it has read the text of a mail: refuses it with this code, resets the connection or says nothing; by default it takes it. */
  afterText?: number | 'reset' | 'hang' | undefined;
}

/** A mail server on this machine that accepts all mail, unless its options say otherwise. */
export async function startMailServer({ port = 0, refuses, afterText }: MailServerOptions = {}): Promise<MailServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo(_address, _session, done) {
      done(refuses === undefined ? null : Object.assign(new Error('No such mailbox'), { responseCode: refuses }));
    },
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const raw = Buffer.concat(parts).toString();
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
        });
        if (afterText === 'reset') for (const socket of sockets) socket.resetAndDestroy();
        else if (afterText !== 'hang')
          done(afterText === undefined ? null : Object.assign(new Error('Not taken'), { responseCode: afterText }));
      });
    },
  });
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    stop: promisify((done: () => void) => {
      server.close(done);
      for (const socket of sockets) socket.destroy();
    }),
  };
}
