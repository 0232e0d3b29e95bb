import { consolePage } from '../../console/page.ts';
import { HOME } from '../../console/places.ts';
import { assertPlatform, oneOf, redirect } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { parseLifeId } from '../../ids/life-ids.ts';

/** Where the platform sees a thing of any operator, by how its id begins. */
const pages: Readonly<Record<string, string>> = { inv: 'overseen', op: 'operators', skl: 'skill-reviews' };

function pageOf(id: string): string | undefined {
  if (parseLifeId(id) !== undefined && /^[\w:-]+$/.test(id)) return `${HOME}/lives/${id}`;
  const [, prefix = ''] = /^([a-z]+)_\w+$/.exec(id) ?? [];
  return Object.hasOwn(pages, prefix) ? `${HOME}/${pages[prefix]}/${id}` : undefined;
}

/** Leads people of the platform to things that are not their own. */
export const lookUpPage = consolePage({
  operation: 'lookUpPage',
  path: `${HOME}/overseen`,
  show: (person) => {
    assertPlatform(person);
    const sought = oneOf(person.visit.query, 'id').trim();
    const page = pageOf(sought);
    if (page !== undefined) return Promise.resolve(redirect(page));
    return Promise.resolve({
      title: 'Look up',
      body: html`<h1>Look up</h1>
<p>${sought === '' ? html`Enter the id of an invocation, an operator or a skill, or a life such as <code>invocation:inv_…</code>.` : html`Nothing of the platform has the id <code>${sought}</code>.`}</p>
<form class="filters" method="get"><label>Id<input name="id" type="search" value="${sought}" maxlength="300" required></label><button>Look up</button></form>
`,
    });
  },
});
