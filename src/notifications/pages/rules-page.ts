import { html } from '../../http/pages/html.ts';
import { listOf } from '../../console/list.ts';
import { callAct, consolePage, onlySure } from '../../console/page.ts';
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
    const list = await listOf(person, getRules, {
      id: 'rules',
      label: 'Rules',
      path: RULES_PATH,
      rows: ({ channels }) => channels,
      columns: ruleColumns,
      nothing: html`No rule is made yet, so no event is sent. <a href="${RULES_PATH}/new">Make a rule</a> for a destination that is verified.`,
    });
    return (
      list.csv ?? {
        title: 'Rules',
        live: { ids: [], looks: true },
        body: html`<div class="heading"><h1>Rules</h1><a class="button primary" href="${RULES_PATH}/new">Make a rule</a></div>
<p class="lead">A rule says which events go to which destinations, from which severity on.</p>
${list.html}`,
      }
    );
  },
  acts: {
    // The form stands on the page of the rule, which is gone once it is done.
    remove: onlySure(
      callAct('The rule is deleted. What it has matched is still delivered.', removeRule, {
        input: (form) => ({ params: { id: oneOf(form, 'id') } }),
      }),
    ),
  },
});
