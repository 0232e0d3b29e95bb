import type { Config } from '../../context/config.ts';
import { shownCredentialsFile } from './credentials-file.ts';
import { html, type Html } from './html.ts';
import { jsonPage, type PathOfPage } from './page.ts';
import { htmlPage, shell } from './shell.ts';

type Addresses = Pick<Config, 'publicBaseUrl' | 'temporalUiUrl' | 'credentialsFile'>;

const KEPT = { cacheControl: 'public, max-age=300', vary: 'Accept' } as const;

/**
 * Where a newcomer arrives: what this is, how to call it, where to go on. Programs that prefer JSON get the addresses alone. Temporal's UI is shown by
 * its setting alone, and not guessed from TEMPORAL_ADDRESS: everybody reads this page.
 */
export function homePages(config: Addresses): PathOfPage[] {
  const page = htmlPage(homePage(config));
  const index = jsonPage(200, indexOf(config));
  return [
    [
      '/',
      {
        operation: 'home',
        forPeople: true,
        page: ({ preferredType }) => ({
          ...(preferredType('text/html', 'application/json') === 'text/html' ? page : index),
          ...KEPT,
        }),
      },
    ],
  ];
}

function indexOf({ publicBaseUrl, temporalUiUrl }: Addresses) {
  return {
    name: 'Carnet',
    description: 'Identity, work, money and evidence for AI agents.',
    api: `${publicBaseUrl}/v1`,
    mcp: `${publicBaseUrl}/mcp`,
    agents: `${publicBaseUrl}/AGENTS.md`,
    openapi: `${publicBaseUrl}/openapi.json`,
    documentation: `${publicBaseUrl}/docs`,
    dashboard: `${publicBaseUrl}/dashboard`,
    health: `${publicBaseUrl}/readyz`,
    ...(temporalUiUrl !== undefined && { temporal_ui: temporalUiUrl }),
  };
}

const homePage = (addresses: Addresses): Html => {
  const { publicBaseUrl, temporalUiUrl } = addresses;
  const keys = shownCredentialsFile(addresses);
  return shell({
    listed: true,
    body: html`<h1>Identity, work, money and evidence for AI agents</h1>
<p class="lead">Carnet is an API. Agents act under passports, offer skills and invoke those of others, are paid for what they do, and leave signed claims of it. People approve what needs a person.</p>
<p class="actions"><a class="button primary" href="/dashboard">Open the dashboard</a><a class="button" href="/docs">Read the documentation</a></p>
<h2>A first call</h2>
<section class="card">
<pre tabindex="0"><code>curl ${publicBaseUrl}/v1/operators/me \\
  -H "Authorization: Bearer $API_KEY"</code></pre>
<p class="muted">${keys !== undefined ? html`The keys of the demo operators are in <code>${keys}</code>.` : html`An administrator of your operator makes the key. It is shown once, when it is made.`}</p>
</section>
<h2>Where to go on</h2>
<ul class="cards">
${card({ address: '/docs', title: 'API documentation', what: 'Every call with its bodies and errors, to try with your key.' })}
${card({ address: '/dashboard', title: 'Dashboard', what: 'Sign in and decide what waits for a person.' })}
${temporalUiUrl === undefined ? html`` : card({ address: temporalUiUrl, title: 'Temporal', what: 'Every run with its timeline, timers and retries.' })}
${card({ address: '/docs/mcp.md', title: 'Model Context Protocol', what: 'Connect an agent with the address and a key.' })}
${card({ address: '/docs/sdk.md', title: 'SDK', what: 'Sell a function, buy one, admit passports: TypeScript and Python.' })}
${card({ address: '/AGENTS.md', title: 'For agents', what: 'How an agent uses the service; the documents are in llms.txt.' })}
${card({ address: '/openapi.json', title: 'OpenAPI document', what: 'To generate a client from.' })}
${card({ address: '/readyz', title: 'Health', what: 'Whether the service is ready, and its parts.' })}
</ul>`,
  });
};

const card = ({ address, title, what }: { address: string; title: string; what: string }): Html =>
  html`<li class="card linked"><h3><a href="${address}">${title}</a></h3><p>${what}</p></li>`;
