import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { HeldBodies, type BodyLimits } from '../../src/http/held-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { rawSender, statusOf, type RawSender } from './support/raw.ts';

const LIMITS: BodyLimits = {
  total: 4_000,
  ofOwner: 2_000,
  enough: 1_500,
  kept: 1_000,
  small: 100,
  step: 100,
  stepMs: 3_600_000,
};

describe('HeldBodies', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** A server that reads bodies of 1,500 bytes at most; the first segment of the path is their owner, those below `/…/keep` are never released. */
  async function serve(limits: Partial<BodyLimits>) {
    const bodies = new HeldBodies({ ...LIMITS, ...limits });
    const outcomes: string[] = [];
    const answerTo = async (request: IncomingMessage): Promise<{ status: number; outcome: string }> => {
      const [, owner = '', keep] = request.url?.split('/') ?? [];
      try {
        const { bytes, release } = await bodies.read(request, { owner, limit: 1_500 });
        if (keep === undefined) release();
        return { status: 200, outcome: `${owner} ${bytes.length}` };
      } catch (error) {
        if (error instanceof CarnetError) return { status: error.status, outcome: `${owner} ${error.code}` };
        return { status: 500, outcome: `${owner} ${(error as Error).name}` };
      }
    };
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { status, outcome } = await answerTo(request);
      outcomes.push(outcome);
      response.writeHead(status).end(status === 200 ? 'taken' : '');
    };
    server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const begin = (path: string, announced: number | null, sent: number): RawSender => {
      const sender = rawSender(port);
      const length = announced === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
      const bytes = 'x'.repeat(sent);
      const body = announced === null ? `${sent.toString(16)}\r\n${bytes}\r\n` : bytes;
      sender.socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n${body}`);
      return sender;
    };
    const holds = (bytes: number) => eventually(`${bytes} bytes to be held`, () => bodies.held === bytes);
    /** `count` owners who announce 1,400 bytes each and send `sent` of them. */
    const beginHogs = (count: number, sent: number): void => {
      for (let index = 0; index < count; index += 1) begin(`/hog${index}`, 1_400, sent);
    };
    const refused = (): string[] => outcomes.filter((outcome) => outcome.endsWith(' TEMPORARILY_UNAVAILABLE'));
    return { bodies, outcomes, begin, beginHogs, holds, refused };
  }

  it('gives back the room of bodies that are whole, too large, or whose client went away', async () => {
    const { outcomes, begin, holds } = await serve({});
    begin('/a', 500, 500);
    begin('/a', 1_501, 10);
    begin('/a', null, 1_501);
    const gone = begin('/b', 900, 400);
    await holds(400);
    gone.socket.destroy();
    await holds(0);
    await eventually('all to have ended', () => outcomes.length === 4);
    assert.deepEqual(outcomes.toSorted(), ['a 500', 'a BODY_TOO_LARGE', 'a BODY_TOO_LARGE', 'b ClientGone']);
  });

  it('ends the slowest of an owner whose share is full, and of the owner who holds most where all is full', async () => {
    const { outcomes, begin, holds } = await serve({});
    begin('/a', 1_400, 1_200);
    await holds(1_200);
    const second = begin('/a', 1_400, 700);
    await holds(1_900);
    second.socket.write('x'.repeat(400));
    await holds(1_100);
    assert.deepEqual(outcomes, ['a TEMPORARILY_UNAVAILABLE']);
    begin('/b', 1_400, 900);
    await holds(2_000);
    begin('/b', 1_400, 900);
    await holds(2_900);
    // 3,000 for an owner that holds more than 100: `b` has most, and its first body came before its second.
    const honest = begin('/c', 900, 150);
    await holds(2_150);
    honest.socket.write('x'.repeat(750));
    await eventually('the honest one to be taken', () => honest.answer.includes('taken'));
    assert.deepEqual(outcomes, ['a TEMPORARILY_UNAVAILABLE', 'b TEMPORARILY_UNAVAILABLE', 'c 900']);
  });

  describe('where each of many owners holds little', () => {
    it('ends the slowest of all who hold more than what is small', async () => {
      const { outcomes, begin, beginHogs, holds, refused } = await serve({});
      const early = begin('/early', 100, 50);
      await holds(50);
      beginHogs(18, 160);
      await holds(2_930);
      begin('/honest', 1_400, 1_400);
      await eventually('the honest one to be taken', () => outcomes.includes('honest 1400'));
      // 3,000 less 1,400 for ten of the eighteen.
      assert.equal(refused().length, 8);
      early.socket.write('x'.repeat(50));
      await eventually('the small one to be taken', () => early.answer.includes('taken'));
    });

    it('ends the slowest of those who hold what is small, where they have more than is kept for them', async () => {
      const { outcomes, begin, beginHogs, holds, refused } = await serve({});
      beginHogs(40, 100);
      await holds(4_000);
      begin('/small', 100, 100);
      await eventually('the small one to be taken', () => outcomes.includes('small 100'));
      assert.equal(refused().length, 1);
      begin('/honest', 1_400, 1_400);
      await eventually('the honest one to be taken', () => outcomes.includes('honest 1400'));
      assert.equal(refused().length, 14);
    });

    it('ends the slowest of all, where those who hold what is small have nothing that arrives', async () => {
      const { outcomes, begin, beginHogs, holds, refused } = await serve({});
      for (let index = 0; index < 12; index += 1) begin(`/busy${index}/keep`, 100, 100);
      await eventually('their bodies to be in work', () => outcomes.length === 12);
      beginHogs(14, 160);
      await holds(3_440);
      begin('/honest', 1_400, 1_400);
      await eventually('the honest one to be taken', () => outcomes.includes('honest 1400'));
      // 4,000 less 1,200 and 1,400 for eight of the fourteen.
      assert.equal(refused().length, 6);
    });

    it('ends first what is of an owner of whose bodies more is arriving than one may have, however fast it comes', async () => {
      const { outcomes, begin, beginHogs, holds, refused } = await serve({});
      beginHogs(8, 160);
      await holds(1_280);
      begin('/flood', 1_400, 800);
      await holds(2_080);
      begin('/flood', 1_400, 800);
      await holds(2_880);
      begin('/honest', 900, 900);
      await eventually('the honest one to be taken', () => outcomes.includes('honest 900'));
      assert.deepEqual(refused(), ['flood TEMPORARILY_UNAVAILABLE']);
    });

    it('ends the slowest of all, and not what arrives for an owner whose other bodies are in work', async () => {
      const { outcomes, begin, beginHogs, holds, refused } = await serve({});
      begin('/busy/keep', 1_200, 1_200);
      await holds(1_200);
      beginHogs(8, 160);
      await holds(2_480);
      const busy = begin('/busy', 700, 400);
      await holds(2_880);
      begin('/honest', 400, 400);
      await eventually('the honest one to be taken', () => outcomes.includes('honest 400'));
      assert.equal(refused().length, 2);
      busy.socket.write('x'.repeat(300));
      await eventually('the busy one to be taken', () => busy.answer.includes('taken'));
    });
  });

  it('judges by Content-Length what does not fit beside bodies that have arrived, and keeps room for small ones', async () => {
    const { outcomes, begin, holds } = await serve({});
    begin('/a/keep', 1_500, 1_500);
    await holds(1_500);
    const over = begin('/a', 501, 0);
    await eventually('it to be refused', () => statusOf(over.answer) === 503);
    begin('/b/keep', 1_500, 1_500);
    await holds(3_000);
    const large = begin('/c', 101, 0);
    await eventually('it to be refused', () => statusOf(large.answer) === 503);
    const small = begin('/c', 100, 100);
    await eventually('it to be taken', () => small.answer.includes('taken'));
    assert.deepEqual(outcomes.slice(-1), ['c 100']);
  });

  it('ends with 408 what brings less than a step in its time', async () => {
    const { outcomes, begin, holds } = await serve({ stepMs: 500 });
    const slow = [begin('/a', 1_400, 1_350), begin('/b', 10, 0)];
    await eventually('both to end', () => slow.every(({ answer }) => statusOf(answer) === 408));
    await holds(0);
    assert.deepEqual(outcomes.toSorted(), ['a REQUEST_TIMEOUT', 'b REQUEST_TIMEOUT']);
  });
});
