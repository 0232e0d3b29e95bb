import { actForm, consolePage, type Act } from '../../console/page.ts';
import { HOME } from '../../console/places.ts';
import { callOf } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { areBriefingsOff, turnBriefings } from '../../notifications/index.ts';

export const MAILS_PATH = `${HOME}/mails`;

/** No route says or does this: it is about the person who looks, and keys have none. Done twice it is as done once. */
const turn = (act: 'off' | 'on', done: string): Act => ({
  done,
  async run(person) {
    const call = callOf(person, { operation: 'turnBriefings', method: 'POST', path: MAILS_PATH, body: { mails: act } });
    await turnBriefings(person.visit.context, call, { memberId: person.session.member.id, off: act === 'off' });
    return undefined;
  },
});

/** A person turns mails about what waits for them off, and on again. */
export const mailsPage = consolePage({
  operation: 'mailsPage',
  path: MAILS_PATH,
  async show({ visit, session }) {
    const off = await areBriefingsOff(visit.context.pool, session.member.id);
    return {
      title: 'Mails',
      body: html`<h1>Mails to you</h1>
<article class="card">
<p>${off ? 'You get no mails about approvals and reviews that wait.' : 'Owners and administrators are mailed when an approval or a review waits; many in a row come together, once in five minutes.'}</p>
${actForm(off ? { act: 'on', label: 'Turn them on' } : { act: 'off', label: 'Turn them off' })}<p class="muted">Mails about new keys, invitations, another e-mail address of the operator and agents that were unblocked are always sent to owners and administrators.</p>
</article>
<p><a href="${HOME}">All that waits</a></p>`,
    };
  },
  acts: { off: turn('off', 'They are turned off.'), on: turn('on', 'They are turned on.') },
});
