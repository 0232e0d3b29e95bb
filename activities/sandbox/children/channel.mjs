// Both runtimes share this: jobs come in on the standard input, frames go out on the standard output. Reads and writes block, so what a
// script has printed has left the process before the process can be killed.
import { readSync, writeSync } from 'node:fs';

/** Not 1, by which `unshare` ends where the process inside was killed. */
const BROKEN = 70;
const { exit } = process;
process.on('uncaughtException', () => exit(BROKEN));

const KINDS = { ready: 'r', console: 'c', output: 'o', fault: 'f' };
const NONCE_BYTES = 16;
/** Bytes of UTF-8 that are kept of what a script prints, and of the exception that ends it. */
const MAX_PRINTED = 12 * 1024;
const MAX_EXCEPTION = 4 * 1024;

const readExactly = (length) => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const read = readSync(0, bytes, at, length - at);
    if (read === 0) return undefined;
    at += read;
  }
  return bytes;
};

const send = (nonce, kind, text) => {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32LE(payload.length, 1);
  const frame = Buffer.concat([nonce, head, payload]);
  for (let at = 0; at < frame.length;) at += writeSync(1, frame, at);
};

/** At most so many bytes of a text, cut between two characters. */
const cut = (text, most) => {
  const bytes = Buffer.from(text.slice(0, most));
  let end = Math.min(bytes.length, most);
  while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
};

/** The process began as root in namespaces of its own, and has read all files that it needs: it becomes a user who owns nothing. */
export const leaveRoot = (user) => {
  if (process.getuid() !== 0 || user === 0) return;
  process.setgroups([]);
  process.setgid(user);
  process.setuid(user);
};

export const reportReady = () => send(Buffer.alloc(NONCE_BYTES), KINDS.ready, '');

/** Waits for the next job: its script, its input and its limits, with the functions that answer it; undefined once the parent is gone. */
export const receiveJob = () => {
  const head = readExactly(4);
  const body = head && readExactly(head.readUInt32LE());
  if (!body) return undefined;
  const { nonce, ...job } = JSON.parse(body.toString());
  const token = Buffer.from(nonce, 'hex');
  let left = MAX_PRINTED;
  return {
    ...job,
    isFull: () => left <= 0,
    print: (text) => {
      if (left <= 0) return;
      const printed = cut(text, left);
      left = printed.length < text.length ? 0 : left - Buffer.byteLength(printed);
      send(token, KINDS.console, left <= 0 ? `${printed}\n[the rest is cut off]\n` : printed);
    },
    returned: (output) => send(token, KINDS.output, output),
    failed: (code, exception) => {
      if (exception) send(token, KINDS.console, cut(exception, MAX_EXCEPTION));
      send(token, KINDS.fault, code);
    },
  };
};
