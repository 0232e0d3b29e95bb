import { HOME } from '../../console/places.ts';
import { personsPage } from '../../console/layout.ts';
import {
  assertDecides,
  byPerson,
  callOf,
  forPerson,
  isRefusal,
  redirect,
  type PersonsVisit,
} from '../../console/visits.ts';
import { findMember, readApiKey, readOwnOperator, removeMember, revokeApiKey } from '../../accounts/index.ts';
import { mayApprove } from '../../commands/caller.ts';
import type { CarnetError } from '../../errors/carnet-error.ts';
import { notFound } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';

/*
 * Pages of what people are mailed about because somebody should look: a key, a member, the operator. Each shows it, and undoes it where that is
 * one act.
 */

const nothing = html``;

const back = html`<p><a href="${HOME}">All that waits</a></p>`;

const undo = ({ caller }: PersonsVisit, path: string, label: string): Html =>
  mayApprove(caller)
    ? html`<form method="post" action="${path}" class="actions">
<button class="danger">${label}</button>
</form>
`
    : nothing;

interface Undone {
  path(id: string): string;
  show(person: PersonsVisit, refusal?: CarnetError): Promise<Page>;
  /** Undoes it, as the call of the API. */
  undo(person: PersonsVisit, id: string): Promise<unknown>;
}

/** @param operation how logs and metrics name the page */
const changePage = (operation: string, { path, show, undo: act }: Undone): PeoplePage => ({
  operation,
  page: (visit) =>
    forPerson(visit, path(visit.id), async (person) => {
      assertDecides(person); // the API shows it to nobody else
      return await show(person);
    }),
  submit: (submission) =>
    byPerson(submission, path(submission.id), async (person) => {
      assertDecides(person);
      try {
        await act(person, submission.id);
        return redirect(HOME);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return await show(person, error);
      }
    }),
});

const pathOfKey = (id: string): string => `${HOME}/keys/${id}`;

export const keyPage = changePage('keyPage', {
  path: pathOfKey,
  async show(person, refusal) {
    const key = await readApiKey(person.visit.context, person.caller, person.visit.id);
    const { id, name, kind, role, agent_id: agent, last4, created_by: by, created_at: at, expires_at: until } = key;
    return personsPage(person, {
      title: 'Key',
      refusal,
      body: html`<h1>“${name}”</h1>
<article class="card">
<dl class="facts">
<dt>Key</dt><dd><code>${id}</code> (<code>…${last4}</code>)</dd>
<dt>For</dt><dd>${kind}${role === null ? nothing : html`, ${role}`}${agent === null ? nothing : html` <code>${agent}</code>`}</dd>
<dt>Made by</dt><dd><code>${by ?? 'unknown'}</code>, ${moment(at)}</dd>
<dt>Ends</dt><dd>${until === null ? 'never' : moment(until)}</dd>
</dl>
${undo(person, pathOfKey(id), 'Delete the key')}</article>
${back}`,
    });
  },
  undo: (person, id) =>
    revokeApiKey(
      person.visit.context,
      callOf(person, { operation: 'deleteApiKey', method: 'DELETE', path: `/v1/api-keys/${id}`, body: {} }),
      id,
    ),
});

const pathOfMember = (id: string): string => `${HOME}/members/${id}`;

export const memberPage = changePage('memberPage', {
  path: pathOfMember,
  async show(person, refusal) {
    const { visit, caller } = person;
    const member = await findMember(visit.context.pool, caller.operatorId, visit.id);
    if (member === null) throw notFound('member');
    const { id, email, role, status, created_at: at } = member;
    return personsPage(person, {
      title: 'Member',
      refusal,
      body: html`<h1>${email}</h1>
<article class="card">
<dl class="facts">
<dt>Member</dt><dd><code>${id}</code></dd>
<dt>Role</dt><dd>${role}, ${status}</dd>
<dt>Since</dt><dd>${moment(at)}</dd>
</dl>
${undo(person, pathOfMember(id), status === 'invited' ? 'Withdraw the invitation' : 'Delete the member')}</article>
${back}`,
    });
  },
  undo: (person, id) =>
    removeMember(
      person.visit.context,
      callOf(person, { operation: 'deleteMember', method: 'DELETE', path: `/v1/members/${id}`, body: {} }),
      id,
    ),
});

export const OPERATOR_PATH = `${HOME}/operator`;

export const operatorPage: PeoplePage = {
  operation: 'operatorPage',
  page: (visit) =>
    forPerson(visit, OPERATOR_PATH, async (person) => {
      const operator = await readOwnOperator(visit.context, person.caller);
      return personsPage(person, {
        title: 'Operator',
        body: html`<h1>${operator.name}</h1>
<article class="card">
<dl class="facts">
<dt>Operator</dt><dd><code>${operator.id}</code>, ${operator.status}</dd>
<dt>E-mail address</dt><dd>${operator.email}</dd>
<dt>Changed</dt><dd>${moment(operator.updated_at)}</dd>
</dl>
<p class="muted">A key of an administrator changes it: <code>PATCH /v1/operators/me</code>. The audit trail says which key did.</p>
</article>
${back}`,
      });
    }),
};
