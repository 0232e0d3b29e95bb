import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';

/** The part that this file takes of swagger-ui's plugins: https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/ */
interface Plugin {
  statePlugins: {
    layout?: {
      wrapActions: {
        updateFilter(
          update: (phrase: string) => unknown,
          system: {
            layoutActions: { show(path: string[], open: boolean): void };
            specSelectors: { taggedOperations(): { keySeq(): { toArray(): string[] } } };
          },
        ): (phrase: string) => unknown;
      };
    };
    auth?: {
      wrapSelectors: {
        definitionsToAuthorize(
          definitions: (...state: unknown[]) => Map<string, unknown>[],
        ): (...state: unknown[]) => Map<string, unknown>[];
      };
    };
  };
}

interface Options {
  plugins: (() => Plugin)[];
}

/** Runs the script of the page in place of a browser. @returns what it starts swagger-ui with, and whether the page is dark */
async function started({ dark }: { dark: boolean }) {
  let options: Options | undefined;
  let changed = (): void => assert.fail('nobody listens for a change');
  const classes = new Map<string, boolean>();
  const scheme = { matches: dark, addEventListener: (_: string, listener: () => void) => (changed = listener) };
  const seen: string[] = [];
  const parts = new Map<string, { setAttribute(...given: string[]): void }>();
  const swagger = { hidden: true, querySelector: (part: string) => parts.get(part) ?? null };
  const calls = { remove: () => void seen.push('the list is gone') };
  let mutated = (): void => assert.fail('nobody watches swagger-ui');
  class MutationObserver {
    constructor(callback: (records: unknown[], observer: { disconnect(): void }) => void) {
      mutated = () => callback([], { disconnect: () => void seen.push('done') });
    }
    observe(target: unknown): void {
      assert.equal(target, swagger);
    }
  }
  const browser = {
    matchMedia: () => scheme,
    MutationObserver,
    location: { hash: '#/billing/createTopUp' },
    document: {
      documentElement: { classList: { toggle: (name: string, on: boolean) => classes.set(name, on) } },
      getElementById: (id: string) => (id === 'calls' ? calls : swagger),
    },
    SwaggerUIBundle: (given: Options) => {
      options = given;
      return { layoutActions: { parseDeepLinkHash: (hash: string) => seen.push(hash) } };
    },
  };
  const script = new URL('../../../src/http/pages/assets/docs.js', import.meta.url);
  runInContext(await readFile(script, 'utf8'), createContext(browser));
  assert(options !== undefined);
  const plugins = options.plugins.map((plugin) => plugin().statePlugins);
  return {
    layout: plugins.find(({ layout }) => layout !== undefined)?.layout ?? assert.fail('no plugin of the layout'),
    auth: plugins.find(({ auth }) => auth !== undefined)?.auth ?? assert.fail('no plugin of the credentials'),
    /** The page once swagger-ui has drawn these parts. */
    draws(...drawn: string[]) {
      for (const part of drawn)
        parts.set(part, { setAttribute: (...given) => void seen.push([part, ...given].join(' ')) });
      mutated();
      return { seen: seen.splice(0), hidden: swagger.hidden };
    },
    isDark: () => classes.get('dark-mode'),
    becomes(matches: boolean) {
      scheme.matches = matches;
      changed();
    },
  };
}

describe('the script of /docs', () => {
  it('opens the tags that are left while something is filtered, and closes them after', async () => {
    const { layout } = await started({ dark: false });
    const steps: unknown[] = [];
    const filter = layout.wrapActions.updateFilter(
      (phrase) => {
        steps.push(['filter', phrase]);
        return 'updated';
      },
      {
        layoutActions: { show: (path, open) => void steps.push([...path, open]) },
        specSelectors: { taggedOperations: () => ({ keySeq: () => ({ toArray: () => ['Skills', 'Claims'] }) }) },
      },
    );
    assert.equal(filter('cla'), 'updated');
    filter('');
    assert.deepEqual(steps, [
      ['operations-tag', 'Skills', true],
      ['operations-tag', 'Claims', true],
      ['filter', 'cla'],
      ['operations-tag', 'Skills', false],
      ['operations-tag', 'Claims', false],
      ['filter', ''],
    ]);
  });

  it('lets keys be entered, and no session', async () => {
    const { auth } = await started({ dark: false });
    const [key, session] = [new Map([['key', 1]]), new Map([['session', 2]])];
    const offered = auth.wrapSelectors.definitionsToAuthorize((...state) => {
      assert.deepEqual(state, ['the state']);
      return [key, session];
    });
    assert.deepEqual([...offered('the state')], [key]);
  });

  it('shows swagger-ui in place of the list once its first tag is there, without a second main, and follows the link', async () => {
    const page = await started({ dark: false });
    assert.deepEqual(page.draws('main'), { seen: [], hidden: true });
    assert.deepEqual(page.draws('.opblock-tag'), {
      seen: ['done', 'main role none', 'the list is gone', '#/billing/createTopUp'],
      hidden: false,
    });
  });

  it('is dark where the system is, and follows it', async () => {
    const page = await started({ dark: true });
    assert.equal(page.isDark(), true);
    page.becomes(false);
    assert.equal(page.isDark(), false);
  });
});
