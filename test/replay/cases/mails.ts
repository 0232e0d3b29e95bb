import { lifeId } from '../../../src/ids/life-ids.ts';
import { startMailServer } from '../../mail/mail-server.ts';
import { writeTestMail } from '../../mail/write-test-mail.ts';
import { runOf } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

/** @param refuses how the mail server answers; undefined: it takes the mail. @param seconds how long the mail is wanted */
const sending =
  ({ refuses, seconds }: { refuses?: number; seconds: number }): Case =>
  async (rig) => {
    const server = await startMailServer({ refuses });
    rig.config.mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'carnet@example.test' };
    const run = runOf(rig, lifeId.mail(await writeTestMail(rig.context, { seconds })));
    await run.ended();
    await server.stop();
    return run;
  };

export const mails: Cases = {
  'mail/sent': sending({ seconds: 600 }),
  'mail/refused': sending({ refuses: 550, seconds: 600 }),
  'mail/expired': sending({ refuses: 451, seconds: 3 }),
};
