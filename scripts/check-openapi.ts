import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Redocly's strictest rules, since client generators fail on what they forbid, with the exceptions of this document. */
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Generators make one class for each tag: an operation with two tags would be in two, one without tags in none.
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    // Every refusal is problem+json with type, title and status, so that a client needs one error class.
    'operation-4xx-problem-details-rfc7807': 'error',
    // Off: /v1/skills/:id/versions and /v1/skills/invocations/:id are ambiguous for Redocly; fixed segments are matched first.
    'no-ambiguous-paths': 'off',
    // The code has no licence (UNLICENSED in package.json).
    'info-license': 'off',
    'info-license-strict': 'off',
  },
});

/** The public list of tags leaves platform administration out on purpose. */
const PLATFORM_TAG = { name: 'platform', description: 'Administration of the platform' };

/**
 * Finds what a client generator could not read in an OpenAPI document, one text for each fault: place, fault and rule.
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
