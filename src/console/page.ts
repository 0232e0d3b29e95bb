import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { CarnetError } from '../errors/carnet-error.ts';
import type { Audience } from '../http/auth/audience.ts';
import { html, type Html } from '../http/pages/html.ts';
import type { Page } from '../http/pages/page.ts';
import type { PeoplePage, Submission, Visit } from '../http/pages/people-pages.ts';
import type { Route, RouteInput, RouteReply } from '../http/route.ts';
import { personsPage } from './layout.ts';
import { decryptTyped } from './typed.ts';
import { byPerson, focused, forPerson, isOf, isRefusal, oneOf, redirect, type PersonsVisit } from './visits.ts';

/** The fields of a form as they were sent: one text a member, several where it came several times. */
export type Form = Visit['query'];

/** The content of a page. */
export interface Shown {
  title: string;
  /** Its `h1` first. */
  body: Html;
  /** Ids whose changes bring the parts of the page that are `live` up to date. */
  live?: { ids: readonly string[]; looks?: true };
  /** Addresses of scripts of this page alone. */
  scripts?: readonly string[];
}

/** A form of the page that was refused: the page shows it as it was filled in, and why. */
export interface Entered {
  act: string;
  form: Form;
  refusal: CarnetError;
}

/** The form as it was typed, where that of this act is the one that was refused. */
export const enteredIn = (act: string, entered: Entered | undefined): Entered | undefined =>
  entered?.act === act ? entered : undefined;

/** The act behind a form of a page. */
export interface Act {
  /** The sentence that the page shows when it is done. */
  done: string;
  /** @returns where the browser goes, or a page that shows once what is shown once, a secret say; absent: back to the page */
  run(person: PersonsVisit<Submission>, form: Form): Promise<string | Shown | undefined>;
}

interface ConsolePage {
  /** How logs and metrics name it. */
  operation: string;
  /** With `:id` at its end where it is the page of each. */
  path: string;
  /** The page of the navigation that it belongs to, where its path does not begin with that. */
  under?: string;
  show(person: PersonsVisit, entered?: Entered): Promise<Shown | Page>;
  /** Its forms by name, as `actForm` writes it. */
  acts?: Readonly<Record<string, Act>>;
  /** The sentences that it says where an act of another page leads here, by the name of that act. */
  done?: Readonly<Record<string, string>>;
  /** As `PeoplePage.formBytes`. */
  formBytes?: number;
}

/** A page sends no headers: it finds the approval by the request. */
const onceApproved = html`<p class="notice">Here you need no header: once it is approved, send this form again with the same values.</p>\n`;

export const addressOf = (path: string, id: string): string => path.replace(':id', encodeURIComponent(id));

/**
 * A page of the console: it is shown, and its forms call what the API has. A refused form is shown again with all that was typed; one that
 * is done leads to a page that says so.
 */
export function consolePage({
  operation,
  path,
  under = path,
  show,
  acts = {},
  done: elsewhere = {},
  formBytes,
}: ConsolePage): readonly [string, PeoplePage] {
  const pageOf = async (
    person: PersonsVisit,
    shown: Shown | Page,
    { entered, answers = false }: { entered?: Entered; answers?: boolean } = {},
  ): Promise<Page> =>
    'status' in shown
      ? shown
      : personsPage(person, {
          ...shown,
          answers,
          path: under,
          refusal: entered?.refusal,
          // An earlier success is not news beside a refusal.
          body: html`${entered === undefined ? flashOf(person, { ...elsewhere, ...sentencesOf(acts) }) : html``}${entered?.refusal.code === 'GOVERNANCE_APPROVAL_REQUIRED' ? onceApproved : html``}${shown.body}`,
        });
  /** A person for whom this is no page keeps the navigation. */
  const refuseInFrame = (person: PersonsVisit): void =>
    person.visit.refuseIn((content) => personsPage(person, { ...content, path }));
  const page: PeoplePage = {
    operation,
    ...(formBytes !== undefined && { formBytes }),
    page: (visit) =>
      forPerson(visit, addressOf(path, visit.id), async (person) => {
        refuseInFrame(person);
        return await pageOf(person, await show(person));
      }),
  };
  if (Object.keys(acts).length === 0) return [path, page];
  const showKept = async (person: PersonsVisit, sealed: string): Promise<Page> => {
    const kept = decryptTyped(person.visit.context.encryption, sealed);
    if (kept === null) return redirect(addressOf(path, person.visit.id));
    const refusal = new CarnetError(
      'UNAUTHENTICATED',
      'Your session had ended, so nothing was done. Look at the form, and send it again.',
    );
    const entered = { act: oneOf(kept.form, 'act'), form: kept.form, refusal };
    return { ...(await pageOf(person, await show(person, entered), { entered })), status: 200 };
  };
  page.submit = (submission) => {
    const form = submission.form as Form;
    return byPerson(submission, addressOf(path, submission.id), async (person) => {
      refuseInFrame(person);
      const kept = oneOf(form, 'typed');
      if (kept !== '') return await showKept(person, kept);
      const name = oneOf(form, 'act');
      const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
      if (act === undefined) return redirect(addressOf(path, submission.id));
      try {
        const done = await act.run(person, form);
        if (typeof done === 'object') return await pageOf(person, done, { answers: true });
        const next = done ?? addressOf(path, submission.id);
        // The sentence is of the page that it leads to, where that has an act of this name.
        return redirect(`${next}${next.includes('?') ? '&' : '?'}done=${name}`);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const entered = { act: name, form, refusal: error };
        return await pageOf(person, await show(person, entered), { entered });
      }
    });
  };
  return [path, page];
}

/** Says what was done a moment ago: by a name in the address, so that nobody can put words of their own on the page. */
function flashOf({ visit }: PersonsVisit, sentences: Readonly<Record<string, string>>): Html {
  const name = oneOf(visit.query, 'done');
  const sentence = Object.hasOwn(sentences, name) ? sentences[name] : undefined;
  return sentence === undefined ? html`` : html`<p class="notice good" role="status"${focused}>${sentence}</p>\n`;
}

const sentencesOf = (acts: Readonly<Record<string, Act>>): Record<string, string> =>
  Object.fromEntries(Object.entries(acts).map(([name, { done }]) => [name, done]));

/**
 * An act that calls a route.
 * @param input the call that the form stands for
 * @param sure the form has the box of `sure`: one that is sent without it, by a browser that does not ask for it say, does nothing
 * @param then where the browser goes, or what is shown once; absent: back to the page
 */
export const callAct = <
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  done: string,
  route: Route<A, Params, Query, Body, Reply>,
  {
    input = () => ({}),
    then,
    sure = false,
  }: {
    sure?: boolean;
    input?: (form: Form, person: PersonsVisit<Submission>) => RouteInput | Promise<RouteInput>;
    then?: (reply: z.output<Reply>, person: PersonsVisit<Submission>) => string | Shown | undefined;
  } = {},
): Act => ({
  done,
  async run(person, form) {
    if (sure && oneOf(form, 'sure') !== 'true')
      throw new CarnetError('VALIDATION_ERROR', 'Nothing was done: tick the box of the form first, if you are sure.');
    const sent = { ...(await input(form, person)), key: keyOf(form) };
    const { body } = await onceDone(person, route, sent).catch((error: unknown) =>
      onceDone(person, route, { ...sent, approval: approvalIn(error) }),
    );
    return then?.(body, person);
  },
});

/** Milliseconds until a form whose first sending is still under way is looked at again, and how often. */
const AGAIN = { ms: 500, times: 30 };

/** A form that is sent twice is answered the second time as it was the first time, once that is done. @throws CarnetError as the route refuses */
async function onceDone<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  { visit }: PersonsVisit,
  route: Route<A, Params, Query, Body, Reply>,
  input: RouteInput,
): Promise<RouteReply<z.output<Reply>>> {
  for (let times = 0; ; times++) {
    try {
      return await visit.call(route, input);
    } catch (error) {
      if (!isOf(error, 'IDEMPOTENCY_IN_FLIGHT') || times >= AGAIN.times) throw error;
      await wait(AGAIN.ms);
    }
  }
}

/**
 * The approval that a refused act waits for: the same act once more uses it, where a person has given it meanwhile, and is refused otherwise.
 * @throws every other error
 */
function approvalIn(error: unknown): string {
  const id = isOf(error, 'GOVERNANCE_APPROVAL_REQUIRED') ? error.extra['approval_id'] : undefined;
  if (typeof id !== 'string') throw error;
  return id;
}

/** The Idempotency-Key of a form that `actForm` made: sent twice, it is done once. Its other buttons are other calls, which the route judges. */
export function keyOf(form: Form): string | undefined {
  const key = oneOf(form, 'key');
  return /^[\w-]{22}$/.test(key) ? `console ${key} ${oneOf(form, 'act')}` : undefined;
}

/** The input of an act whose route is about the `:id` of the page. */
export const ofPage = (_: Form, { visit: { id } }: PersonsVisit): RouteInput => ({ params: { id } });

interface ActForm {
  /** The name of the act. */
  act: string;
  /** Other acts of the same fields, each with a button of its own. */
  others?: readonly { act: string; label: string; tone?: 'primary' | 'danger' }[];
  /** Names it within the page, for fields that stand elsewhere: boxes in the rows of a list, say. */
  id?: string;
  /** The fields, escaped. */
  fields?: Html;
  /** Values that the form sends along. */
  hidden?: Readonly<Record<string, string>>;
  /** On its button. */
  label: string;
  tone?: 'primary' | 'danger';
  /** The address of the page where the form does not stand on it. */
  action?: string;
  /** Further buttons, or links, beside it. */
  beside?: Html;
}

/** A form for an act of a page. It has a key of its own, so that one sent twice is done once. */
export const actForm = ({
  act,
  others = [],
  id,
  fields = html``,
  hidden = {},
  label,
  tone,
  action,
  beside = html``,
}: ActForm): Html =>
  html`<form method="post"${id === undefined ? html`` : html` id="${id}"`}${action === undefined ? html`` : html` action="${action}"`}>
${others.length === 0 ? html`<input type="hidden" name="act" value="${act}">` : html``}<input type="hidden" name="key" value="${randomBytes(16).toString('base64url')}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${fields}<div class="actions">${[{ act, label, tone }, ...others].map((one) => html`<button${one.tone === undefined ? html`` : html` class="${one.tone}"`}${others.length === 0 ? html`` : html` name="act" value="${one.act}"`}>${one.label}</button>`)}${beside}</div>
</form>
`;

/** A part of a page that live updates replace. @param id names it within the page */
export const live = (id: string, content: Html): Html => html`<div id="${id}" data-live>
${content}</div>
`;
