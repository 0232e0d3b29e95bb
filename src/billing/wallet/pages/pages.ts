import { findOperator } from '../../../accounts/index.ts';
import { fieldsOf, schemaOf, valueOf } from '../../../console/form.ts';
import { actForm, callAct, consolePage, ofPage } from '../../../console/page.ts';
import { facts, sure } from '../../../console/parts.ts';
import { HOME } from '../../../console/places.ts';
import { assertPlatform } from '../../../console/visits.ts';
import { assertThat, notFound } from '../../../errors/carnet-error.ts';
import { dollars } from '../../../fields/dollars.ts';
import { html } from '../../../http/pages/html.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import type { OperatorId } from '../../../ids/ids.ts';
import { CreateAdjustmentSchema } from '../adjustments.ts';
import { readBalance } from '../queries.ts';
import { postAdjustment } from '../routes.ts';

const form = schemaOf(CreateAdjustmentSchema);
const options = {
  labels: { amount_cents: 'Amount', description: 'Why' },
  hints: { amount_cents: 'Below zero it is taken out.', description: 'The operator reads it in its statement.' },
  money: ['amount_cents'],
  long: ['description'],
};

/** Puts money into the wallet of an operator, or takes it out, as the platform. */
const adjustmentPage = consolePage({
  operation: 'adjustmentPage',
  path: `${HOME}/adjustments/:id`,
  async show(person, entered) {
    assertPlatform(person);
    const { context, id } = person.visit;
    const operator = await findOperator(context.pool, id);
    assertThat(operator, () => notFound('operator'));
    const { available_cents: available, held_cents: held } = await readBalance(context.pool, id as OperatorId);
    return {
      title: 'Adjustment',
      body: html`<h1>Adjust a wallet</h1>
<section class="card">${facts([
        ['Operator', html`<a href="${HOME}/operators/${id}">${operator.name}</a>`],
        ['Available', dollars(available)],
        ['Held', dollars(held)],
      ])}
${actForm({ act: 'adjust', label: 'Adjust the wallet', tone: 'danger', fields: html`${fieldsOf(form, options, { entered })}${sure('Move this money: it counts immediately')}` })}</section>
`,
    };
  },
  acts: {
    adjust: callAct('The wallet is adjusted.', postAdjustment, {
      sure: true,
      input: (typed, person) => ({ ...ofPage(typed, person), body: valueOf(form, typed, options) }),
    }),
  },
});

export const adjustmentPages: readonly PathOfPeoplePage[] = [adjustmentPage];
