import { eventually } from './eventually.ts';
import { assertProblem, type Reply } from './service.ts';

/** As a client does: what is answered with 503, on a busy machine or because a worker has just died, is sent again. */
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
