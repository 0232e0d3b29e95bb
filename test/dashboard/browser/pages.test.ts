import assert from 'node:assert/strict';
import { pagesOfPeople } from '../../../src/process/pages.ts';
import { casesOf } from '../../support/cases.ts';
import { chromium } from '../../support/chromium.ts';
import { buildOperator } from '../../support/factories.ts';
import { PATIENCE_MS } from '../../support/pasted.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import type { Look, Visitor } from '../../support/visitor.ts';
import { visitorBy } from '../../support/visitors.ts';
import { buildScene, type Scene } from './scene.ts';
import { noPages, pagesToOpen, type PageToOpen } from './table.ts';

/** Each width and each scheme, with scripts and without: a rule of the stylesheet is about one of them, and axe runs where scripts do. */
const ways = casesOf<Look & { scripts: boolean }>(
  [true, false].flatMap(
    (scripts) =>
      [
        { scripts, width: 1_280, scheme: 'light' },
        { scripts, width: 360, scheme: 'dark' },
        { scripts, width: 1_280, scheme: 'dark' },
        { scripts, width: 360, scheme: 'light' },
      ] as const,
  ),
  ({ scripts, width, scheme }) =>
    scripts ? width === 1_280 && scheme === 'light' : width === 360 && scheme === 'dark',
);

/** The page of an error names the request, which is another each time. */
const REQUEST_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

describe('Each page, in a browser', function () {
  this.timeout(PATIENCE_MS);
  let scene: Scene;
  let visitors: Record<'owner' | 'anybody' | 'platform', Record<'scripts' | 'noScripts', Visitor>>;

  before(async () => {
    await chromium(); // it is installed where it is not there yet
    const operator = await buildOperator({ tier: 'business' });
    const owner = await signIn(operator.email);
    scene = await buildScene(operator, owner);
    const visitor = (scripts: boolean, session: { cookie?: string }): Promise<Visitor> =>
      visitorBy({ ...session, scripts, hand: 'mouse', width: 1_280, scheme: 'light' });
    const both = async ({ cookie }: { cookie?: string }) => {
      const session = cookie === undefined ? {} : { cookie };
      return { scripts: await visitor(true, session), noScripts: await visitor(false, session) };
    };
    const ofPlatform = await buildPerson({ operatorId: 'op_platform' }, 'owner');
    visitors = { owner: await both(owner), anybody: await both({}), platform: await both(ofPlatform) };
  });

  after(async () => {
    for (const { scripts, noScripts } of Object.values(visitors))
      await Promise.all([scripts.close(), noScripts.close()]);
  });

  it('has a line in the table of pages', () => {
    const listed = new Set([...pagesToOpen.map(({ path }) => path), ...Object.keys(noPages)]);
    const missing = pagesOfPeople()
      .pages.map(([path]) => path)
      .filter((path) => !listed.has(path));
    assert.deepEqual(missing, [], 'add a line to test/dashboard/browser/table.ts');
  });

  /** @returns the text that is read */
  const opened = async (visitor: Visitor, { path, at, title, drawn, status = 200 }: PageToOpen): Promise<string> => {
    const seen = await visitor.open(at?.(scene) ?? path, drawn);
    assert.deepEqual([seen.status, title.test(seen.title)], [status, true], `${path} is “${seen.title}”`);
    return seen.text.replaceAll(REQUEST_ID, '');
  };

  for (const page of pagesToOpen)
    it(`${page.path} is read and used by everybody, with scripts and without`, async () => {
      const { scripts, noScripts } = visitors[page.by ?? 'owner'];
      const text = await opened(scripts, page);
      await lookedAt(scripts, true);
      const plain = await opened(noScripts, page);
      if (page.drawn === undefined && page.ofAll !== true) assert.equal(plain, text);
      await lookedAt(noScripts, false);
    });
});

async function lookedAt(visitor: Visitor, hasScripts: boolean): Promise<void> {
  for (const look of ways.filter(({ scripts }) => scripts === hasScripts)) {
    await visitor.look(look);
    await visitor.assertUsable();
  }
}
