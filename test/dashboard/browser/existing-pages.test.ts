import assert from 'node:assert/strict';
import { pagesOfPeople } from '../../../src/process/pages.ts';
import { casesOf } from '../../support/cases.ts';
import { chromium } from '../../support/chromium.ts';
import { buildOperator } from '../../support/factories.ts';
import { PATIENCE_MS } from '../../support/pasted.ts';
import { signIn } from '../../support/people.ts';
import type { Look, Visitor } from '../../support/visitor.ts';
import { visitorBy } from '../../support/visitors.ts';
import { pagesToOpen, type PageToOpen } from './pages.ts';
import { buildScene, type Scene } from './scene.ts';

/** Each width and each scheme: a rule of the stylesheet is about one of them. */
const looks = casesOf<Look>(
  [
    { width: 1_280, scheme: 'light' },
    { width: 360, scheme: 'dark' },
    { width: 1_280, scheme: 'dark' },
    { width: 360, scheme: 'light' },
  ],
  ({ width, scheme }) => (width === 1_280) === (scheme === 'light'),
);

/** The page of an error names the request, which is another each time. */
const REQUEST_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

describe('Each page, in a browser', function () {
  this.timeout(PATIENCE_MS);
  let scene: Scene;
  let visitors: Record<'signedIn' | 'anybody', Record<'scripts' | 'noScripts', Visitor>>;

  before(async () => {
    await chromium(); // it is installed where it is not there yet
    const operator = await buildOperator({ tier: 'business' });
    scene = await buildScene(operator);
    const { cookie } = await signIn(operator.email);
    const visitor = (scripts: boolean, session: { cookie?: string }): Promise<Visitor> =>
      visitorBy({ ...session, scripts, hand: 'mouse', width: 1_280, scheme: 'light' });
    visitors = {
      signedIn: { scripts: await visitor(true, { cookie }), noScripts: await visitor(false, { cookie }) },
      anybody: { scripts: await visitor(true, {}), noScripts: await visitor(false, {}) },
    };
  });

  after(async () => {
    for (const { scripts, noScripts } of Object.values(visitors))
      await Promise.all([scripts.close(), noScripts.close()]);
  });

  it('has a line in the table of pages', () => {
    const listed = new Set(pagesToOpen.map(({ path }) => path));
    const missing = pagesOfPeople()
      .pages.map(([path]) => path)
      .filter((path) => !listed.has(path));
    assert.deepEqual(missing, [], 'add a line to test/dashboard/browser/pages.ts');
  });

  const opened = async (visitor: Visitor, { path, at, title, drawn, status = 200 }: PageToOpen): Promise<string> => {
    const seen = await visitor.open(at?.(scene) ?? path, drawn);
    assert.deepEqual([seen.status, title.test(seen.title)], [status, true], `${path} is “${seen.title}”`);
    return seen.text.replaceAll(REQUEST_ID, '');
  };

  for (const page of pagesToOpen)
    it(`${page.path} is read and used by everybody, with scripts and without`, async () => {
      const { scripts, noScripts } = visitors[page.anybody === true ? 'anybody' : 'signedIn'];
      const text = await opened(scripts, page);
      for (const look of looks) {
        await scripts.look(look);
        await scripts.assertUsable();
      }
      const plain = await opened(noScripts, page);
      if (page.drawn === undefined) assert.equal(plain, text);
      for (const look of looks) {
        await noScripts.look(look);
        await noScripts.assertUsable();
      }
    });
});
