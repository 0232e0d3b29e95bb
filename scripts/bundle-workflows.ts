import { writeFile } from 'node:fs/promises';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';

/** Writes the workflow code as one file, which workers load if WORKFLOW_BUNDLE names it: `node scripts/bundle-workflows.ts FILE`. */
const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Name the file to write: node scripts/bundle-workflows.ts FILE');
  process.exitCode = 1;
} else {
  await writeFile(file, (await bundleWorkflows()).code);
}
