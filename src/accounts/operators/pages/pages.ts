import { fieldsOf, schemaOf, valueOf } from '../../../console/form.ts';
import { asCurl } from '../../../console/list.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, enteredIn, ofPage, type Entered } from '../../../console/page.ts';
import { badge, facts, shownOnce, sure, type Column } from '../../../console/parts.ts';
import { HOME } from '../../../console/places.ts';
import { decides, type PersonsVisit } from '../../../console/visits.ts';
import { dollars } from '../../../fields/dollars.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import type { JsonObject } from '../../../json/value.ts';
import { getOperator, getOperators, patchOperator } from '../platform-routes.ts';
import { getOwnOperator, patchOwnOperator, postOperator } from '../routes.ts';
import { AdministerOperatorSchema, RegisterOperatorSchema, UpdateOperatorSchema, type Operator } from '../schema.ts';

const updateForm = schemaOf(UpdateOperatorSchema);

/** The parts of the operator that are changed apart: each field that is sent is a change, and some are an owner's. */
const changes = {
  address: {
    only: ['name', 'email'],
    labels: { email: 'E-mail address' },
    hints: { email: 'Mails and bills go there; it makes nobody a member.' },
  },
  balance: {
    only: ['low_balance_cents'],
    labels: { low_balance_cents: 'Tell when less than this is available' },
    money: ['low_balance_cents'],
    hints: { low_balance_cents: 'Empty: never.' },
  },
  passports: {
    only: ['passports_may_invoke'],
    labels: { passports_may_invoke: 'Passports with a budget, for this service alone, may invoke' },
  },
  payout: { only: ['payout_account'], labels: { payout_account: 'Account at the payment provider' } },
  signers: { only: ['public_jwks'], labels: { public_jwks: 'Public keys' } },
} as const;
type Change = keyof typeof changes;

const titles: Record<Change, string> = {
  address: 'Name and address',
  balance: 'Low balance',
  passports: 'Passports that invoke',
  payout: 'Where earnings go',
  signers: 'Keys that co-sign claims',
};
/** The value that an empty field stands for. */
const emptied = {
  address: {},
  balance: { low_balance_cents: null },
  passports: { passports_may_invoke: false },
  payout: { payout_account: null },
  signers: {},
};

const changeAct = (change: Change) =>
  callAct('It is changed.', patchOwnOperator, {
    input: (form) => ({ body: { ...emptied[change], ...valueOf(updateForm, form, changes[change]) } }),
  });

const changeForm = (change: Change, operator: Operator, entered?: Entered): Html =>
  html`<section class="card"><h2>${titles[change]}</h2>
${actForm({ act: change, label: 'Save', fields: fieldsOf(updateForm, changes[change], { values: valuesOf(operator), entered: enteredIn(change, entered) }) })}</section>
`;

/** As JSON has it: a member of a key that is not there is absent. */
const valuesOf = (operator: Operator): JsonObject => operator as unknown as JsonObject;

const factsOf = (operator: Operator): Html =>
  facts([
    ['E-mail address', operator.email],
    ['Tier', operator.tier],
    ['Commission', operator.commission_bps === null ? null : `${operator.commission_bps / 100} %`],
    ['Payout account', operator.payout_account],
    ['Low balance', operator.low_balance_cents === null ? null : dollars(operator.low_balance_cents)],
    ['Since', moment(operator.created_at)],
    ['Changed', moment(operator.updated_at)],
  ]);

function ownChanges(person: PersonsVisit, operator: Operator, entered?: Entered): Html {
  if (!decides(person))
    return html`<p class="notice">Owners and administrators change the operator; you are a member.</p>\n`;
  const forms = (['address', 'balance', 'passports', 'signers'] as const).map((change) =>
    changeForm(change, operator, entered),
  );
  return html`<div class="columns">${forms}${
    person.caller.role === 'owner'
      ? changeForm('payout', operator, entered)
      : html`<section class="card"><h2>${titles.payout}</h2><p>An owner changes the payout account.</p></section>`
  }</div>
<section class="card"><h2>More</h2>
<p><a href="${HOME}/partners">Partners</a> may do a little for you. <a href="${HOME}/erasure">Erase contents</a> that you keep. The <a href="${HOME}/audit?target=${operator.id}">audit trail</a> says who changed what.</p></section>
`;
}

const operatorPage = consolePage({
  operation: 'operatorPage',
  path: `${HOME}/operator`,
  async show(person, entered) {
    const { body: operator } = await person.visit.call(getOwnOperator);
    return {
      title: 'Operator',
      live: { ids: [operator.id] },
      body: html`<h1>${operator.name}</h1>
<p class="lead"><code>${operator.id}</code> ${badge(operator.status)}</p>
<section class="card">${factsOf(operator)}</section>
${ownChanges(person, operator, entered)}`,
    };
  },
  acts: {
    address: changeAct('address'),
    balance: changeAct('balance'),
    passports: changeAct('passports'),
    payout: changeAct('payout'),
    signers: changeAct('signers'),
  },
});

const OPERATORS_PATH = `${HOME}/operators`;

const columns: readonly Column<Operator>[] = [
  {
    title: 'Operator',
    cell: ({ id, name }) => html`<a href="${OPERATORS_PATH}/${id}">${name}</a>`,
    text: ({ name }) => name,
  },
  { title: 'E-mail address', cell: ({ email }) => email, text: ({ email }) => email },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Tier', cell: ({ tier }) => tier, text: ({ tier }) => tier },
  { title: 'Since', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => html`<code>${id}</code>`, text: ({ id }) => id },
];

const registerForm = schemaOf(RegisterOperatorSchema);
const registerOptions = {
  labels: { email: 'E-mail address' },
  hints: { email: 'Whoever has this address is its first owner.' },
};

const operatorsPage = consolePage({
  operation: 'operatorsPage',
  path: OPERATORS_PATH,
  show: (person, entered) =>
    listShown(person, getOperators, {
      title: 'Operators',
      id: 'operators',
      rows: (reply) => reply.operators,
      columns,
      filters: [
        { name: 'name', label: 'Name begins with', kind: 'search' },
        { name: 'email', label: 'E-mail address', kind: 'text' },
        {
          name: 'status',
          label: 'State',
          kind: 'choice',
          options: [
            ['active', 'active'],
            ['suspended', 'suspended'],
          ],
        },
      ],
      nothing: 'There is no operator yet. Register one below.',
      changes: ({ id }) => id,
      below: () => html`<section class="card"><h2>Register an operator</h2>
${actForm({ act: 'register', label: 'Register it', tone: 'primary', fields: fieldsOf(registerForm, registerOptions, { entered }) })}</section>
`,
    }),
  acts: {
    register: callAct('', postOperator, {
      input: (form) => ({ body: valueOf(registerForm, form, registerOptions) }),
      then: ({ operator, api_key: key }) => ({
        title: 'A new operator',
        body: html`<h1>${operator.name}</h1>
${shownOnce('Its first key, of role admin,', key)}<p>It is <a href="${OPERATORS_PATH}/${operator.id}"><code>${operator.id}</code></a>.</p>
`,
      }),
    }),
  },
});

const administerForm = schemaOf(AdministerOperatorSchema);
const administerOptions = {
  only: ['tier', 'commission_bps'],
  labels: { commission_bps: 'Commission, in hundredths of a percent' },
  hints: { commission_bps: 'Empty: that of the service.' },
};

const suspension = ({ status }: Operator): Html =>
  status === 'active'
    ? html`<section class="card"><h2>Suspend it</h2>
<p>Its keys and people are refused, its passports revoked for good, and its skills cannot be invoked.</p>
${actForm({ act: 'suspend', label: 'Suspend the operator', tone: 'danger', fields: sure('Suspend it and revoke its passports') })}</section>`
    : html`<section class="card"><h2>Activate it</h2>
<p>Its keys and people are let in again. No passport comes back.</p>
${actForm({ act: 'activate', label: 'Activate the operator', tone: 'primary' })}</section>`;

const administeredPage = consolePage({
  operation: 'administeredOperatorPage',
  path: `${OPERATORS_PATH}/:id`,
  async show({ visit }, entered) {
    const { body: operator } = await visit.call(getOperator, { params: { id: visit.id } });
    return {
      title: 'Operator',
      live: { ids: [operator.id] },
      body: html`<h1>${operator.name}</h1>
<p class="lead"><code>${operator.id}</code> ${badge(operator.status)}</p>
<section class="card">${factsOf(operator)}
<p><a href="${HOME}/adjustments/${operator.id}">Adjust its wallet</a>, see <a href="${HOME}/cases?operator_id=${operator.id}">its money to look at</a>, or <a href="${HOME}/audit?target=${operator.id}">what the platform did to it</a>.</p></section>
<div class="columns"><section class="card"><h2>Terms</h2>
${actForm({
  act: 'terms',
  label: 'Save',
  fields: fieldsOf(administerForm, administerOptions, {
    values: valuesOf(operator),
    entered: enteredIn('terms', entered),
  }),
})}</section>
${suspension(operator)}</div>
${asCurl({ method: 'PATCH', address: `${visit.context.config.publicBaseUrl}/v1/admin/operators/${operator.id}`, body: { tier: operator.tier } })}`,
    };
  },
  acts: {
    terms: callAct('Its terms are changed.', patchOperator, {
      input: (form, person) => ({
        ...ofPage(form, person),
        body: { commission_bps: null, ...valueOf(administerForm, form, administerOptions) },
      }),
    }),
    suspend: callAct('It is suspended.', patchOperator, {
      sure: true,
      input: (form, person) => ({ ...ofPage(form, person), body: { status: 'suspended' } }),
    }),
    activate: callAct('It is active again.', patchOperator, {
      input: (form, person) => ({ ...ofPage(form, person), body: { status: 'active' } }),
    }),
  },
});

export const operatorPages: readonly PathOfPeoplePage[] = [operatorPage, operatorsPage, administeredPage];
