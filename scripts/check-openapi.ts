import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Redocly's strictest set, which is what client generators stumble over, and what of it this document does otherwise. */
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Generators make one class a tag: an operation with two of them would be made twice, one with none is orphaned.
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    // Every refusal is problem+json with type, title and status, so that a client needs one error class.
    'operation-4xx-problem-details-rfc7807': 'error',
    // Off: the specification has /v1/skills/:id/versions beside /v1/skills/invocations/:id; what is fixed wins over what varies.
    'no-ambiguous-paths': 'off',
    // The code has no licence to name (package.json says UNLICENSED).
    'info-license': 'off',
    'info-license-strict': 'off',
  },
});

/** Platform administration has a tag that the public list leaves out on purpose. */
const PLATFORM_TAG = { name: 'platform', description: 'Administration of the platform' };

/**
 * What a client generator would stumble over in an OpenAPI document, one text a fault: where, what, which rule.
 * @throws {SyntaxError} when the document is not JSON.
 */
export async function faultsOf(document: string): Promise<string[]> {
  const parsed = JSON.parse(document) as { tags?: object[] };
  const source = JSON.stringify({ ...parsed, tags: [...(parsed.tags ?? []), PLATFORM_TAG] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ location, message, ruleId }) => `${location[0]?.pointer ?? '#/'}: ${message} [${ruleId}]`);
}

if (import.meta.main) {
  const file = resolve(process.argv[2] ?? join(import.meta.dirname, '../openapi.json'));
  const faults = await faultsOf(await readFile(file, 'utf8'));
  console.log(faults.length === 0 ? 'openapi.json: a client generator can read it' : faults.join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
