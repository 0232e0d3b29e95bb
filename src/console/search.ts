import { html } from '../http/pages/html.ts';
import { consolePage } from './page.ts';
import { HOME, pageOfId } from './places.ts';
import { oneOf, redirect } from './visits.ts';

/** One box takes any id, and leads to its page. */
export const searchPage = consolePage({
  operation: 'searchPage',
  path: `${HOME}/search`,
  show: async ({ visit }) => {
    const sought = oneOf(visit.query, 'q').trim();
    const page = pageOfId(sought);
    if (page !== undefined) return redirect(page);
    return {
      title: 'Find an id',
      body: html`<h1>Find an id</h1>
<p>${sought === '' ? 'Enter an id.' : html`No page is about <code>${sought}</code>.`} Ids look like <code>inv_01K…</code>: of invocations, skills, agents, passports, approvals, reviews, claims, transactions, deliveries, keys and members.</p>
<form class="filters" role="search"><label>Id<input name="q" type="search" value="${sought}" maxlength="100" autofocus></label><button>Find</button></form>
`,
    };
  },
});
