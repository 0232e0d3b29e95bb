import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, isIPv4, isIPv6, type Socket } from 'node:net';

/** The records of a name: addresses of both families, behind a chain of other names where there is one; or a failure. */
export type DnsAnswer =
  | readonly string[]
  | { via: readonly string[]; addresses: readonly string[] }
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'REFUSED'
  | 'garbage'
  | 'silence';

/** A question as it came, `A` or `AAAA`. */
export interface DnsQuestion {
  name: string;
  type: 'A' | 'AAAA';
  overTcp: boolean;
}

export interface DnsStub {
  /** Node's own resolver, with this server alone. */
  resolver: Resolver;
  questions: DnsQuestion[];
  close(): Promise<void>;
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
/** Without EDNS no answer over UDP is longer; the resolver then comes over TCP. */
const UDP_BYTES = 512;

/** A DNS server on 127.0.0.1, over UDP and TCP; every record has TTL 0. `answerTo` is called for each question. */
export async function startDns(answerTo: (question: DnsQuestion) => DnsAnswer): Promise<DnsStub> {
  const questions: DnsQuestion[] = [];
  const reply = (message: Buffer, overTcp: boolean): Buffer | undefined => {
    const asked = questionOf(message);
    const question: DnsQuestion = { name: asked.name, type: asked.type === TYPES.A ? 'A' : 'AAAA', overTcp };
    questions.push(question);
    return encoded(message.subarray(0, asked.end), question, answerTo(question));
  };

  const tcp = createServer((socket) => serveTcp(socket, (message) => reply(message, true)));
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const address = tcp.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const udp = createSocket('udp4', (message, from) => {
    const whole = reply(message, false);
    if (whole === undefined) return;
    udp.send(whole.length > UDP_BYTES ? truncated(whole, questionOf(message).end) : whole, from.port, from.address);
  });
  udp.bind(address.port, '127.0.0.1');
  await once(udp, 'listening');

  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${address.port}`]);
  return {
    resolver,
    questions,
    async close() {
      resolver.cancel();
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

function serveTcp(socket: Socket, reply: (message: Buffer) => Buffer | undefined): void {
  let held = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    if (held.length < 2 || held.length < 2 + held.readUInt16BE(0)) return;
    const answer = reply(held.subarray(2, 2 + held.readUInt16BE(0)));
    if (answer === undefined) return;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(answer.length);
    socket.end(Buffer.concat([length, answer]));
  });
}

/** The first question of a message, and where it ends. */
function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length !== 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function encoded(query: Buffer, { name, type }: DnsQuestion, answer: DnsAnswer): Buffer | undefined {
  if (answer === 'silence') return undefined;
  if (answer === 'garbage') return Buffer.concat([header(query, 0, 3), Buffer.from('no record at all')]);
  if (answer === 'NXDOMAIN' || answer === 'SERVFAIL' || answer === 'REFUSED') return header(query, RCODES[answer], 0);
  const { via, addresses } = 'via' in answer ? answer : { via: [], addresses: answer };
  const owners = [name, ...via];
  const links = via.map((next, index) => record(owners[index] ?? name, 'CNAME', nameBytes(next)));
  const fits = type === 'A' ? isIPv4 : isIPv6;
  const found = addresses
    .filter((one) => fits(one))
    .map((one) => record(owners.at(-1) ?? name, type, addressBytes(one)));
  return Buffer.concat([header(query, 0, links.length + found.length), ...links, ...found]);
}

/** The query's id and question with the flags of an answer: response, recursion wanted and available. */
function header(query: Buffer, rcode: number, records: number): Buffer {
  const copy = Buffer.from(query);
  copy.writeUInt16BE(0x8180 | rcode, 2);
  copy.writeUInt16BE(1, 4);
  copy.writeUInt16BE(records, 6);
  copy.writeUInt32BE(0, 8);
  return copy;
}

function truncated(message: Buffer, end: number): Buffer {
  const copy = header(message.subarray(0, end), 0, 0);
  copy.writeUInt16BE(0x8380, 2);
  return copy;
}

function record(owner: string, type: keyof typeof TYPES, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(0, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(owner), fixed, data]);
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** IPv6 in any spelling: URL writes it out in groups of hexadecimal digits. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const middle = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...first, ...middle, ...last].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  }
  return bytes;
}
