import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Minimatch } from 'minimatch';
import { cyclesOf } from './import-cycles.ts';
import { DOMAINS } from './domains.ts';
import { importsOf, sourceFiles, type Import } from './imports.ts';

/**
 * The import law: who may see whom. It names the line, says why an import breaks it, and what to do instead. dependency-cruiser 18.7.2 was tried
 * with nearly all articles, and would save about 190 lines. It takes `import { type T }` for an import of types, although type stripping keeps it and
 * loads the module; sees no specifier that is put together at run time; names no line; counts parents and children into cycles of folders (185
 * findings where the law has none); and needs TypeScript 6 or swc beside TypeScript 7. Its rules could have the reasons as comments. A run of
 * the law takes 4 seconds of processor time and 0.3 GB, a run of dependency-cruiser 27 seconds and 1.1 GB.
 *
 * Paths are globs from the root; `npm:` and `node:` name packages and builtins; `type `
 * or `value ` before a target narrows it to imports of that kind, `:**` is everything of a scheme. `<domain>` is any domain, `<own>` the importing file's,
 * `<other>` every other. Of the articles that a file's import breaks, the first is reported.
 */
type Article = {
  name: string;
  /** Whom it binds; a leading `!` takes out. */
  files: string[];
  /** Nothing but these may be imported … */
  may?: string[];
  /** … or none of these. */
  never?: string[];
  why: string;
  instead: string;
};

const routes = '{**/,}{routes.ts,*-routes.ts}';
const schemas = '{**/,}{schema.ts,*-schema.ts,schema/**}';
/** Rooms below http, which every domain stands on. */
const kernelRooms = [
  'commands',
  'context',
  'cose',
  'database',
  'errors',
  'fields',
  'ids',
  'json',
  'json-schema',
  'metrics',
  'models',
  'one-time-codes',
  'outbound',
  'sandbox',
  'threads',
  'tracing',
  'turns',
  'webhooks',
];
const kernel = `{${kernelRooms.join(',')}}`;
/** Folders of src; one that is none of these would be bound by hardly any article. */
const rooms: ReadonlySet<string> = new Set([
  ...DOMAINS,
  ...kernelRooms,
  'http',
  'console',
  'mcp',
  'process',
  'embedded',
]);
const paymentWebhookVerifier = 'src/billing/webhook/verify.ts';
const stripeAdapter = 'src/billing/payments/stripe/**';
const routeSees = [
  'src/<own>/**',
  'src/http/**',
  'src/{commands,errors,fields,ids,json}/**',
  'type src/context/**',
  'npm:**',
  'node:**',
];

export const articles: Article[] = [
  {
    name: 'readable',
    files: ['**'],
    never: ['computed:**'],
    why: 'a specifier put together at run time hides from this law',
    instead: 'write the specifier out',
  },
  {
    name: 'resolved',
    files: ['**'],
    never: ['missing:**'],
    why: 'it leads to no file of this project, so no article can judge it',
    instead: 'name an existing file below the root, ending included',
  },
  {
    name: 'main',
    files: ['**'],
    never: ['src/main.ts'],
    why: 'main.ts starts servers when it is loaded',
    instead: 'move what you need into a module that main.ts imports too',
  },
  {
    name: 'workflow-builtins',
    files: ['workflows/**'],
    never: ['node:**'],
    why: 'a workflow is replayed: clock, chance, files and network differ the second time, and the sandbox has none of them',
    instead: 'do it in an activity and pass the result in',
  },
  {
    // @temporalio/common is what @temporalio/workflow is made of; typed search-attribute keys are exported only there.
    name: 'workflows',
    files: ['workflows/**'],
    may: ['npm:@temporalio/{workflow,common}', 'workflows/**', `type src/<domain>/${schemas}`, 'type activities/**'],
    why: 'everything that a workflow loads becomes part of its replayed, deterministic bundle',
    instead: 'keep to `import type` of a schema or of activities, and let an activity do the work',
  },
  {
    name: 'activities',
    files: ['activities/**'],
    may: ['activities/**', 'src/<domain>/index.ts', `src/${kernel}/**`, 'temporal/**', 'npm:**', 'node:**'],
    why: 'a life calls the same domain functions as the REST route, below HTTP',
    instead: 'call the exported function that the route calls',
  },
  {
    name: 'route-tools',
    files: [`src/<domain>/${routes}`],
    never: ['npm:{slonik,pg}', 'npm:@temporalio/**'],
    why: 'a handler holds no SQL and no Temporal option',
    instead: 'put the statement into the queries of the domain, the option into temporal/',
  },
  {
    name: 'routes',
    files: [`src/<domain>/${routes}`],
    may: routeSees,
    why: 'a route sees its own domain, src/http and the kernel, so that a request never waits on a life or on a stranger',
    instead: 'let a file of the own domain call the other domain; who must wait for a life uses context.delivery',
  },
  {
    name: 'faces',
    files: [
      'src/<domain>/**',
      '!src/<domain>/{pages,*/pages,*/*/pages}/**',
      `src/${kernel}/**`,
      'src/{http,console,process,embedded}/**',
      'activities/**',
      'temporal/**',
      '!src/process/{routes,pages}.ts',
    ],
    never: ['src/<other>/!(index).ts', 'src/<other>/*/**'],
    why: 'a domain that reaches into another breaks when that one moves its files or tables, and goes past its rules',
    instead: 'export from the index.ts of that domain what may be called, and import it from there',
  },
  {
    name: 'pages',
    files: ['src/<domain>/{pages,*/pages,*/*/pages}/**'],
    never: [
      'src/<other>/!(index|*routes|*schema).ts',
      'src/<other>/!(pages)/!(*routes|*schema).ts',
      'src/<other>/!(pages)/!(pages)/!(*routes|*schema).ts',
    ],
    why: 'a page is the outermost layer: it calls routes of other domains and shows parts of their pages, and goes past none of their rules',
    instead: 'call a route of that domain by visit.call, or a function of its index.ts',
  },
  {
    name: 'kernel',
    files: [`src/${kernel}/**`],
    never: ['value src/{http,console,mcp,process,embedded}/**', 'src/<domain>/**'],
    why: 'the rooms below http are what http, domains and lives stand on; an arrow back up would make a circle',
    instead: 'pass it in as an argument, or declare a port in src/context/ports.ts that src/process fills',
  },
  {
    name: 'http',
    files: ['src/http/**'],
    never: ['src/<domain>/**', 'src/{console,mcp,process}/**'],
    why: 'http is what every domain mounts its routes on; it knows none of them',
    instead: 'pass routes, pages and authenticators in from src/process',
  },
  {
    name: 'console',
    files: ['src/console/**'],
    never: ['src/<domain>/**', 'src/process/**'],
    why: 'it is the frame that the pages of every domain stand in; it knows none of them',
    instead: 'put the page beside the routes of its domain',
  },
  {
    name: 'mcp',
    files: ['src/mcp/**'],
    may: [
      'src/mcp/**',
      `src/<domain>/${routes}`,
      `src/<domain>/${schemas}`,
      'src/http/**',
      'src/{errors,fields,json}/**',
      'src/context/version.ts',
      'type src/context/**',
      'npm:{zod,@modelcontextprotocol/server}',
    ],
    why: 'a tool is a call of a route: it goes past none of its rules, and has none of its own',
    instead: 'call a route by callRoute',
  },
  {
    name: 'mcp-package',
    files: ['{src,activities,workflows,temporal}/**', '!src/mcp/**'],
    never: ['npm:@modelcontextprotocol/**'],
    why: 'the package of a protocol stands behind its door, which loads it at the first message',
    instead: 'declare a tool in src/mcp',
  },
  {
    name: 'lives-call-domains',
    files: ['src/<domain>/**'],
    never: ['npm:@temporalio/**', 'activities/**', 'workflows/**', 'temporal/**'],
    why: 'Postgres decides and lives act afterwards: a domain that calls Temporal would make an answer depend on it',
    instead: 'write a life message in the command; its delivery is not your concern',
  },
  {
    name: 'routes-are-mounted-once',
    files: [
      'workflows/**',
      'temporal/**',
      'bench/**',
      'src/*/**',
      '!src/<domain>/**',
      '!src/mcp/**',
      '!src/process/routes.ts',
    ],
    never: [`src/<domain>/${routes}`],
    why: 'routes are the outermost layer: src/process/routes.ts lists them, nothing builds on them',
    instead: 'call the exported function that the route calls',
  },
  {
    name: 'payment-provider',
    files: ['{src,activities,workflows,temporal,scripts}/**', `!${paymentWebhookVerifier}`, `!${stripeAdapter}`],
    never: ['value npm:stripe'],
    why: 'everything else knows one provider by its port, whose calls have keys, a limit of time and failures of few kinds',
    instead: `call context.payments, and add to ${stripeAdapter} what it lacks; a payment webhook is verified in ${paymentWebhookVerifier}`,
  },
  {
    name: 'senders',
    files: ['{src,temporal,scripts}/**'],
    never: ['npm:{twilio,nodemailer}'],
    why: 'calls to a provider belong where they are retried and where their keys are kept apart',
    instead: 'write an activity',
  },
  {
    // activities/models/call.ts calls what the settings name, which may well be inside of our own network.
    name: 'outbound',
    files: ['{src,activities,temporal}/**', '!src/outbound/**', '!activities/models/call.ts'],
    never: ['npm:undici'],
    why: 'an address that a user chose may lead into our own network, and the guard stands in one place',
    instead: 'call context.outbound.send',
  },
  {
    name: 'verifiers',
    files: ['scripts/{verify,monitor}/**'],
    may: ['scripts/{verify,monitor}/**', 'npm:{ajv,canonicalize,cbor2}', 'node:**'],
    why: 'who checks the log must not share its code: a fault in both would go unseen',
    instead: 'write it again from the published format',
  },
  {
    name: 'sdk',
    files: ['sdk/**', '!sdk/cli/**'],
    may: ['sdk/**', 'npm:jose', 'node:**'],
    why: 'it is installed by users, who have nothing else of this project',
    instead: 'call the service, or write it again from its published documents',
  },
  {
    name: 'cli',
    files: ['sdk/cli/**'],
    may: ['sdk/**', 'scripts/verify/report.ts', 'node:**'],
    why: 'it is installed by users, who have nothing else of this project; the verifier of bundles is packed with it',
    instead: 'call the service, or write it again from its published documents',
  },
  {
    name: 'production-only',
    files: ['{src,workflows,activities,temporal}/**'],
    never: ['test/**', 'bench/**', 'scripts/**', 'sdk/**'],
    why: 'tests, benches, scripts and the SDK are not part of what is deployed',
    instead: 'move what both need into src',
  },
];

/**
 * Edges that cycles are not followed along. Every other one counts, those of types too: two modules that need each
 * other's types are one module in two files. These two are erased at run time and are how the house is built.
 */
const closedByDesign = [
  {
    files: '**',
    targets: 'type src/context/context.ts',
    why: 'the composition root is passed as an argument to what it composes',
  },
  { files: 'workflows/**', targets: 'type activities/**', why: 'a life names the steps whose worker loads it' },
];

/** The articles broken below `root`, each as a text for a reader: place, what, why, what to do. */
export function violations(root: string): { texts: string[]; files: number; imports: number } {
  const files = sourceFiles(root);
  const imports = files.flatMap((file) => importsOf(root, file));
  const broken = imports.flatMap((imported) => {
    const article = articles.find((candidate) => breaks(candidate, imported)) ?? undeclared(root, imported);
    return article ? [describe(imported, article)] : [];
  });
  const edges = imports.filter(
    (imported) =>
      !closedByDesign.some(({ files: glob, targets }) => binds([glob], imported.file) && hits(targets, imported)),
  );
  const cycles = cyclesOf(edges).map((cycle) => describe(cycle[0], cycleArticle('cycles', cycle)));
  const circles = cyclesOf(folderEdges(edges)).map((circle) =>
    describe(circle[0].first, cycleArticle('circles', circle)),
  );
  return {
    texts: [...strangeRooms(files), ...broken, ...cycles, ...circles],
    files: files.length,
    imports: imports.length,
  };
}

/** A folder of src that no article knows. */
function strangeRooms(files: string[]): string[] {
  const found = new Set(files.flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []));
  return [...found]
    .filter((room) => !rooms.has(room))
    .map(
      (room) =>
        `src/${room} is a folder that the law does not know [rooms]\n  why: nothing would keep it from importing anything\n` +
        '  instead: give a new domain its place in scripts/domains.ts; a room below http is named in scripts/import-law.ts',
    );
}

const cycleArticle = (name: string, cycle: { file: string }[]): Pick<Article, 'name' | 'why' | 'instead'> => ({
  name,
  why: `${[...cycle, ...cycle.slice(0, 1)].map(({ file }) => file).join(' → ')} is a cycle: none of them can be read, tested or loaded alone`,
  instead: 'move what they share into a module below them, or pass it as an argument',
});

/** One folder that imports another, and the first import that does. */
interface FolderEdge {
  file: string;
  target: string;
  first: Import;
}

/**
 * The imports between folders that stand beside each other, no matter what lies inside them: `src/billing/wallet` → `src/billing/payments`.
 * The rooms of src stand beside workflows, activities and temporal. Tests, benches and scripts are outside of the house.
 */
const folderEdges = (edges: Import[]): FolderEdge[] =>
  edges.flatMap((first) => {
    const [from, to] = [roomOf(first.file), roomOf(first.target)];
    if (from === undefined || to === undefined) return [];
    const shared = from.findIndex((folder, depth) => folder !== to[depth]);
    if (shared < 0 || to[shared] === undefined) return [];
    const upTo = (folders: string[]) => folders.slice(0, shared + 1).join('/');
    return [{ file: upTo(from), target: upTo(to), first }];
  });

/** The folders of a file of the house, `src/<room>` as one; undefined for what is outside, and for the entry points. */
function roomOf(file: string): string[] | undefined {
  const [top = '', ...rest] = file.split('/').slice(0, -1);
  if (top !== 'src') return ['workflows', 'activities', 'temporal'].includes(top) ? [top, ...rest] : undefined;
  const [room, ...deeper] = rest;
  return room === undefined ? undefined : [`src/${room}`, ...deeper];
}

function describe(
  { file, line, kind, target }: Import,
  { name, why, instead }: Pick<Article, 'name' | 'why' | 'instead'>,
): string {
  return `${file}:${line} imports ${kind === 'type' ? 'types of ' : ''}${target} [${name}]\n  why: ${why}\n  instead: ${instead}`;
}

function breaks(article: Article, imported: Import): boolean {
  if (!binds(article.files, imported.file)) return false;
  if (article.never?.some((target) => hits(target, imported))) return true;
  return article.may !== undefined && !article.may.some((target) => hits(target, imported));
}

function binds(globs: string[], file: string): boolean {
  const [out, within] = [globs.filter((glob) => glob.startsWith('!')), globs.filter((glob) => !glob.startsWith('!'))];
  return (
    within.some((glob) => matches({ path: file, glob, file })) &&
    !out.some((glob) => matches({ path: file, glob: glob.slice(1), file }))
  );
}

function hits(pattern: string, { file, kind, target }: Import): boolean {
  const [, only, glob = pattern] = /^(type|value) (.*)$/.exec(pattern) ?? [];
  return (only === undefined || only === kind) && matches({ path: target, glob, file });
}

function matches({ path, glob, file }: { path: string; glob: string; file: string }): boolean {
  if (glob.endsWith(':**')) return path.startsWith(glob.slice(0, -'**'.length));
  const own = DOMAINS.find((domain) => file.startsWith(`src/${domain}/`));
  const others = DOMAINS.filter((domain) => domain !== own);
  const spelled = glob
    .replace('<domain>', `{${DOMAINS.join(',')}}`)
    .replace('<other>', `{${others.join(',')}}`)
    .replace('<own>', own ?? '');
  return compiled(spelled).match(path);
}

/** Each glob is compiled once: compiling it for every import took three quarters of a run. */
const globs = new Map<string, Minimatch>();
function compiled(glob: string): Minimatch {
  const known = globs.get(glob) ?? new Minimatch(glob, { dot: true });
  globs.set(glob, known);
  return known;
}

/** The image of production installs `dependencies`; a package that no package.json names may vanish any day. */
function undeclared(
  root: string,
  { file, kind, target }: Import,
): Pick<Article, 'name' | 'why' | 'instead'> | undefined {
  if (!target.startsWith('npm:')) return undefined;
  const name = target.slice('npm:'.length);
  const manifest = readManifest(root);
  const deployed = binds(['{src,workflows,activities,temporal}/**'], file) && kind === 'value';
  const groups = deployed
    ? (['dependencies', 'optionalDependencies'] as const)
    : (['dependencies', 'optionalDependencies', 'devDependencies'] as const);
  const declared = groups.flatMap((group) => Object.keys(manifest[group] ?? {}));
  const named = (candidate: string) => (name.endsWith('/') ? candidate.startsWith(name) : candidate === name);
  if (declared.some((candidate) => named(candidate) || (kind === 'type' && candidate === typesOf(name))))
    return undefined;
  return {
    name: 'declared',
    why: `package.json does not name ${name}${deployed ? ' among the dependencies, and production installs nothing else' : ''}`,
    instead: 'declare it there, or do without',
  };
}

type Manifest = Partial<Record<'dependencies' | 'optionalDependencies' | 'devDependencies', Record<string, string>>>;

function readManifest(folder: string): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return manifest;
}

/** DefinitelyTyped's name for the types of a package. */
const typesOf = (name: string): string => `@types/${name.replace(/^@/, '').replace('/', '__')}`;

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? dirname(import.meta.dirname));
  const { texts, files, imports } = violations(root);
  console.log(texts.length === 0 ? `import law: ${files} files and ${imports} imports keep it` : texts.join('\n\n'));
  process.exitCode = texts.length === 0 ? 0 : 1;
}
