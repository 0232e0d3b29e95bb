import { writeFile } from 'node:fs/promises';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';

/** Writes the workflow code as one file, with which WORKFLOW_BUNDLE lets workers start: `node scripts/bundle-workflows.ts FILE`. */
const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Say which file to write: node scripts/bundle-workflows.ts FILE');
  process.exitCode = 1;
} else {
  await writeFile(file, (await bundleWorkflows()).code);
}
