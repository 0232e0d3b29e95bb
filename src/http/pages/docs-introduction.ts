import { html, type Html } from './html.ts';
import { markdownPages } from './markdown-pages.ts';

/** The text that holds for every call, above the list of them. */
export const docsIntroduction = (publicBaseUrl: string): Html => html`<h1>API documentation</h1>
<p class="lead">Every call with its bodies and errors, to try here with your key. <a href="/openapi.json">The OpenAPI document</a> makes clients.</p>
<pre tabindex="0"><code>curl ${publicBaseUrl}/v1/operators/me -H "Authorization: Bearer $API_KEY"</code></pre>
<div class="introduction">
<section>
<h2>Credentials</h2>
<p>Programs send <code>Authorization: Bearer …</code>: the key of an operator or of an agent. A passport is shown to services that an agent calls; here it opens nothing but the calls that name it in their text. People sign in to <a href="/dashboard">the dashboard</a> with a code by mail; their browser then sends a cookie.</p>
<p><b>Authorize</b> below keeps your key in this browser, in clear, until you press <b>Logout</b> there: it is in local storage, and goes to this service alone. Everybody who uses this browser can use it. On a computer that is not yours, log out, or take a key that you delete afterwards.</p>
</section>
<section>
<h2>Sending again is safe</h2>
<p>Send <code>Idempotency-Key</code>, a name of your own, with each POST, PATCH and PUT. The same request under the same key gets the first answer for 24 hours, with <code>Idempotency-Replayed: true</code>; another one gets 409. What was refused is not kept: send it again.</p>
</section>
<section>
<h2>Waiting</h2>
<p>With <code>Prefer: wait=20</code> a call that has the header below is answered once the outcome is there, or after that many seconds, 60 at most, as it stands then.</p>
</section>
<section>
<h2>Errors</h2>
<p>Every refusal is <code>application/problem+json</code>: <code>code</code> stays the same, <code>detail</code> is for people, <code>errors</code> names each place that is wrong, and <code>request_id</code> finds the call in the log. 429 and 503 bring <code>Retry-After</code>, in seconds.</p>
</section>
<section>
<h2>Lists</h2>
<p>Short lists take <code>limit</code> and <code>offset</code> and have a <code>total</code>. Long ones have <code>next_cursor</code>: send it as <code>cursor</code>, with the same filters, until it is null. Both send the address of the next page in <code>Link</code>.</p>
</section>
</div>
<h2>Documents</h2>
<p>As Markdown: ${Object.entries(markdownPages).map(([name, about], at) => html`${at === 0 ? '' : ', '}<a href="/docs/${name}.md">${about}</a>`)}. Agents begin with <a href="/llms.txt">llms.txt</a> and <a href="/AGENTS.md">AGENTS.md</a>.</p>
<h2>Calls</h2>`;
