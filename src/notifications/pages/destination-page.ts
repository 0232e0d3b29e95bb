import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered } from '../../console/page.ts';
import { badge, sure, empty, facts, momentOr, shownOnce, table } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { channels } from '../channels/registry.ts';
import { getDeliveries, postTest } from '../deliveries/routes.ts';
import { getDestination, postEnable, postRotateSecret, postSendCode, postVerify } from '../destinations/routes.ts';
import { VerifyDestinationSchema, type Destination } from '../destinations/schema.ts';
import { getRules } from '../rules/routes.ts';
import { deliveryColumns } from './delivery-columns.ts';
import { DELIVERIES_PATH, DESTINATIONS_PATH, forOthers, RULES_PATH, stateOf } from './parts.ts';
import { receiverCard } from './receiver.ts';
import { ruleColumns } from './rule-columns.ts';

const nothing = html``;
/** Deliveries that the page of a destination shows; the log has all. */
const NEWEST = 10;
const codeForm = schemaOf(VerifyDestinationSchema);
const codeOptions = { labels: { code: 'Code' }, hints: { code: 'Six digits that this address got.' } };

function codeCard({ verified, code }: Destination, entered?: Entered): Html {
  if (verified) return nothing;
  const outcome =
    code === null
      ? html`<p>No code is on its way.</p>`
      : html`<p>The last code ${badge(code.status)} was requested ${moment(code.requested_at)} and counts until ${moment(code.expires_at)}. ${code.error ?? (code.reason === null ? '' : code.reason.replaceAll('_', ' '))}</p>`;
  return html`<section class="card"><h2>Verify it</h2>
${live('code', outcome)}${actForm({ act: 'verify', label: 'Verify', tone: 'primary', fields: fieldsOf(codeForm, codeOptions, { entered: enteredIn('verify', entered) }) })}
${actForm({ act: 'sendCode', label: 'Send another code' })}</section>
`;
}

const actsOf = ({ id, verified, channel_type: kind, disabled_at: disabled }: Destination): Html =>
  html`<div class="columns">${verified && disabled === null ? html`<section class="card"><h2>Send a test</h2><p>It is an event like any other, and counts as one. The page waits for what becomes of it.</p>${actForm({ act: 'test', label: 'Send a test', tone: 'primary' })}</section>` : nothing}${
    channels[kind].signs
      ? html`<section class="card"><h2>Replace the secret</h2><p>Requests are signed with both secrets for a day. A second replacement within it ends the first secret immediately.</p>${actForm({ act: 'rotate', label: 'Replace the secret' })}</section>`
      : nothing
  }<section class="card"><h2>Delete it</h2>${actForm({
    act: 'remove',
    label: 'Delete the destination',
    tone: 'danger',
    action: DESTINATIONS_PATH,
    hidden: { id },
    fields: sure('It leaves its rules, and what waits for it is not sent. This cannot be undone.'),
  })}</section></div>
`;

const stopped = ({ disabled_at: at, disabled_reason: reason, failures_in_row: failures }: Destination): Html =>
  at === null
    ? nothing
    : html`<div class="notice error"><p>Nothing is sent here since ${moment(at)}: ${reason ?? `${failures} deliveries in a row failed`}.</p>
${actForm({ act: 'enable', label: 'Send here again' })}</div>
`;

/** One destination: whether it receives, what it got, and what may be done with it. */
export const destinationPage = consolePage({
  operation: 'destinationPage',
  path: `${DESTINATIONS_PATH}/:id`,
  async show(person, entered) {
    const others = forOthers(person, 'Destination');
    if (others !== null) return others;
    const { visit } = person;
    const { id } = visit;
    const { body: shown } = await visit.call(getDestination, { params: { id } });
    const [rules, deliveries] = [
      (await visit.call(getRules)).body.channels.filter(({ destination_ids: ids }) => ids.includes(id)),
      (await visit.call(getDeliveries, { query: { destination_id: id, limit: String(NEWEST) } })).body.deliveries,
    ];
    return {
      title: 'Destination',
      live: { ids: [id, ...deliveries.map((delivery) => delivery.id)], looks: true },
      body: html`<h1>${shown.destination}</h1>
${live(
  'state',
  html`<p class="lead">${channels[shown.channel_type].words.kind} <code>${id}</code> ${stateOf(shown).shown}</p>
${stopped(shown)}<section class="card">${facts([
    ['Added', moment(shown.created_at)],
    ['Failures in a row', shown.failures_in_row],
    ['Timeouts in a row', shown.timeouts_in_row],
    ['Slow since', shown.slow_since === null ? null : momentOr(shown.slow_since)],
    ['Held back until', shown.held_until === null ? null : momentOr(shown.held_until)],
    ['Paused', shown.paused ? 'the tier has no deliveries by this kind' : null],
  ])}</section>
`,
)}${codeCard(shown, entered)}<h2>Rules</h2>
${rules.length === 0 ? empty(html`No rule sends events here. <a href="${RULES_PATH}/new?destination=${id}">Make a rule</a>.`) : html`${table('Rules', ruleColumns, rules)}<p><a href="${RULES_PATH}/new?destination=${id}">Make another rule</a></p>`}
<h2>Newest deliveries</h2>
${live('deliveries', deliveries.length === 0 ? empty('Nothing was sent here yet. A test or the first event of a rule comes about as the first.') : html`${table('Newest deliveries', deliveryColumns, deliveries)}<p><a href="${DELIVERIES_PATH}?destination_id=${id}">All deliveries to it</a></p>`)}${actsOf(shown)}${channels[shown.channel_type].signs ? receiverCard : nothing}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/notifications/destinations/${id}` })}`,
    };
  },
  acts: {
    verify: callAct('The address is verified: rules can name it now.', postVerify, {
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(codeForm, form, codeOptions) }),
    }),
    sendCode: callAct('Another code is on its way. Codes before it count no more.', postSendCode, { input: ofPage }),
    enable: callAct(
      'Events are sent here again. What failed meanwhile is not sent by this: redeliver it.',
      postEnable,
      {
        input: ofPage,
      },
    ),
    test: callAct('', postTest, {
      input: ofPage,
      then: ({ delivery_id: delivery }) => `${HOME}/deliveries/${delivery}`,
    }),
    rotate: callAct('The secret is replaced.', postRotateSecret, {
      input: ofPage,
      then: ({ id, destination, webhook_secret: secret }) => ({
        title: 'The secret is replaced',
        body: html`<h1>The secret is replaced</h1>
<p class="lead">${destination} ${idLink(id)}</p>
${shownOnce('The new secret', secret)}<p><a class="button" href="${DESTINATIONS_PATH}/${id}">Back to the destination</a></p>
`,
      }),
    }),
  },
});
