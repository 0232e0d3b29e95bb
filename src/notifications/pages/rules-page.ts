import { html } from '../../http/pages/html.ts';
import { listShown } from '../../console/list-page.ts';
import { callAct, consolePage } from '../../console/page.ts';
import { oneOf } from '../../console/visits.ts';
import { getRules, removeRule } from '../rules/routes.ts';
import { forOthers, RULES_PATH } from './parts.ts';
import { ruleColumns } from './rule-columns.ts';

/** Which events go where. */
export const rulesPage = consolePage({
  operation: 'rulesPage',
  path: RULES_PATH,
  async show(person) {
    const others = forOthers(person, 'Rules');
    if (others !== null) return others;
    return await listShown(person, getRules, {
      title: 'Rules',
      beside: html`<a class="button primary" href="${RULES_PATH}/new">Make a rule</a>`,
      lead: 'A rule says which events go to which destinations, from which severity on.',
      id: 'rules',
      rows: ({ channels }) => channels,
      columns: ruleColumns,
      nothing: html`No rule is made yet, so no event is sent. <a href="${RULES_PATH}/new">Make a rule</a> for a destination that is verified.`,
      looks: true,
    });
  },
  acts: {
    // The form stands on the page of the rule, which is gone once it is done.
    remove: callAct('The rule is deleted. What it has matched is still delivered.', removeRule, {
      sure: true,
      input: (form) => ({ params: { id: oneOf(form, 'id') } }),
    }),
  },
});
