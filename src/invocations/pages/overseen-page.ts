import { operatorNames } from '../../accounts/operators/pages/operator-names.ts';
import { consolePage } from '../../console/page.ts';
import { timeline } from '../../console/charts.ts';
import { asCurl } from '../../console/list.ts';
import { badge, facts, momentOr } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { dollars } from '../../fields/dollars.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { oversee } from '../routes.ts';

/** An invocation of any operator, as the platform may see it. */
export const overseenPage = consolePage({
  operation: 'overseenPage',
  path: `${HOME}/overseen/:id`,
  async show(person) {
    const { visit } = person;
    const { body: shown } = await visit.call(oversee, { params: { id: visit.id } });
    const { consumer_operator_id: consumer, provider_operator_id: provider } = shown;
    const operators = await operatorNames(person, [consumer, provider]);
    return {
      title: 'Invocation',
      // Each look is in the audit trail, so the page does not look by itself.
      body: html`<h1>Invocation</h1>
<p class="lead"><code>${shown.id}</code> ${badge(shown.status)}</p>
<p class="notice">You see it as the platform: where it stands, and nothing that its parties wrote. This look is in the audit trail.</p>
<div class="columns"><section class="card">${timeline('How far it is', [
        { what: 'Ordered', at: shown.created_at },
        { what: 'Claimed', at: shown.claimed_at },
        {
          what: 'Ended',
          at: shown.completed_at,
          state: shown.status,
          detail: html`${shown.error_code === null ? html`` : html`<code>${shown.error_code}</code> `}<span class="muted small">at the latest ${moment(shown.expires_at)}</span>`,
        },
      ])}</section>
<section class="card">${facts([
        ['Consumer', operators.whole(consumer)],
        ['Provider', operators.whole(provider)],
        ['Skill', html`${idLink(shown.skill_id)} ${shown.skill_version}, revision ${shown.skill_revision}`],
        ['Executed', shown.execution_mode],
        ['Price', dollars(shown.price_cents)],
        ['Computing', dollars(shown.compute_cents)],
        ['Claims', shown.attempt],
        ['Lease until', shown.lease_until === null ? null : momentOr(shown.lease_until)],
        ['Life', html`<a href="${HOME}/lives/invocation:${shown.id}"><code>invocation:${shown.id}</code></a>`],
      ])}</section></div>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/admin/invocations/${shown.id}` })}`,
    };
  },
});
