import { eventually } from './eventually.ts';
import { assertProblem, type Reply } from './service.ts';

/** Repeats a request as a client does while the answer is 503, as on a busy machine or after a worker has died. */
export const untilAnswered = <Body>(send: () => Promise<Reply<Body>>, seconds = 120): Promise<Reply<Body>> =>
  eventually(
    'an answer other than 503',
    async () => {
      const reply = await send();
      if (reply.status !== 503) return reply;
      assertProblem(reply as Reply, 'TEMPORARILY_UNAVAILABLE');
      return false;
    },
    { seconds },
  );
