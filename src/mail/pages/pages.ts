import { listOf } from '../../console/list.ts';
import { consolePage } from '../../console/page.ts';
import { HOME } from '../../console/places.ts';
import type { Column } from '../../console/parts.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { assertPlatform } from '../../console/visits.ts';
import { getOutbox } from '../routes.ts';
import type { OutboxMessage } from '../schema.ts';

const OUTBOX_PATH = `${HOME}/outbox`;

/** Without the texts: codes to sign in with belong into no file. */
const columns: readonly Column<OutboxMessage>[] = [
  { title: 'Written', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'To', cell: ({ to }) => to, text: ({ to }) => to },
  { title: 'By', cell: ({ channel }) => channel, text: ({ channel }) => channel },
  {
    title: 'Message',
    cell: ({ subject, text }) =>
      html`<details><summary>${subject ?? 'SMS'}</summary><pre class="wrapped" tabindex="0"><code>${text}</code></pre></details>`,
  },
  { title: 'Id', cell: ({ id }) => html`<code>${id}</code>`, text: ({ id }) => id },
];

const outboxPage = consolePage({
  operation: 'outboxPage',
  path: OUTBOX_PATH,
  async show(person) {
    assertPlatform(person);
    try {
      const list = await listOf(person, getOutbox, {
        id: 'outbox',
        label: 'Outbox',
        rows: (reply) => reply.messages,
        columns,
        filters: [{ name: 'to', label: 'To', kind: 'search' }],
        nothing: 'No message was written yet.',
      });
      return (
        list.csv ?? {
          title: 'Outbox',
          live: { ids: [], looks: true },
          body: html`<h1>Outbox</h1>
<p class="lead">Mails and SMS that stay here, since this instance has nobody who sends them. Codes to sign in with are among them: who reads this page can sign in as anybody.</p>
${list.html}`,
        }
      );
    } catch (error) {
      if (!(error instanceof CarnetError && error.code === 'NOT_FOUND')) throw error;
      return {
        title: 'Outbox',
        body: html`<h1>Outbox</h1>
<p class="empty">This instance sends its mails and SMS: none stay here.</p>`,
      };
    }
  },
});

export const mailPages: readonly PathOfPeoplePage[] = [outboxPage];
