import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { QuickJS } from 'quickjs-wasi';
import { answering, ready } from './child.ts';
import type { Times } from './scripts.ts';

/** The two runtimes without the sandbox: the same function in a new QuickJS of this process, and a Node that loads Pyodide. */

export type BareQuestion =
  | { ask: 'quickjs'; script: string; input: string; count: number }
  | { ask: 'pyodide'; script: string; input: string };

const wasm = await WebAssembly.compile(readFileSync(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'))));

async function quickjs(script: string, input: string, count: number): Promise<Times> {
  const times: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const before = performance.now();
    const vm = await QuickJS.create({ wasm });
    vm.evalCode(script, 'script.js');
    vm.evalCode(`JSON.stringify(main(JSON.parse(${JSON.stringify(input)})))`, 'call.js').toString();
    times.push(performance.now() - before);
    vm.dispose();
  }
  return { times };
}

async function pyodide(script: string, input: string): Promise<Times> {
  const program = `
    import { loadPyodide } from ${JSON.stringify(import.meta.resolve('pyodide'))};
    const pyodide = await loadPyodide();
    pyodide.runPython(${JSON.stringify(script)});
    pyodide.runPython(${JSON.stringify(`import json\njson.dumps(main(json.loads(${JSON.stringify(input)})))`)});
    process.exit();`;
  const before = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`A bare Pyodide ended by ${code}.`);
  return { times: [performance.now() - before] };
}

answering<BareQuestion>(async (question) =>
  question.ask === 'quickjs'
    ? quickjs(question.script, question.input, question.count)
    : pyodide(question.script, question.input),
);
ready();
