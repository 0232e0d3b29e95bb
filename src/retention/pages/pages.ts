import { actForm, callAct, consolePage } from '../../console/page.ts';
import { facts, sure } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { getErasure, postErasure } from '../routes.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import type { Erasure } from '../schema.ts';

async function lastErasure({ visit }: PersonsVisit): Promise<Erasure | null> {
  try {
    return (await visit.call(getErasure)).body;
  } catch (error) {
    if (error instanceof CarnetError && error.code === 'NOT_FOUND') return null; // none was ever asked for
    throw error;
  }
}

const erasurePage = consolePage({
  operation: 'erasurePage',
  path: `${HOME}/erasure`,
  async show(person) {
    const last = await lastErasure(person);
    const erase =
      person.caller.role === 'owner'
        ? actForm({
            act: 'erase',
            label: 'Erase the contents',
            tone: 'danger',
            fields: sure('Erase all contents that this operator keeps. Nobody can bring them back.'),
          })
        : html`<p class="notice">An owner erases contents.</p>`;
    return {
      title: 'Erase contents',
      body: html`<h1>Erase contents</h1>
<section class="card"><p>Input and output of invocations that have ended, what came to inbound endpoints, payloads of claims and texts of closed requests are purged. Hashes, statuses, money and the audit trail stay, and so does what has not ended.</p>
${
  last === null
    ? html`<p class="muted">None was ever asked for.</p>`
    : facts([
        ['Asked for', moment(last.kept_from)],
        ['Nothing left since', last.purged_at === null ? 'it is under way' : moment(last.purged_at)],
      ])
}${erase}</section>
<p><a href="${HOME}/operator">The operator</a></p>
`,
    };
  },
  acts: {
    erase: callAct('It is asked for. What is left after some seconds is purged at night.', postErasure, { sure: true }),
  },
});

export const retentionPages: readonly PathOfPeoplePage[] = [erasurePage];
