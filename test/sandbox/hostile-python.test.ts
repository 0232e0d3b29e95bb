import assert from 'node:assert/strict';
import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { BYTECODE, fatalInPython, harmlessInPython, refusedByPython } from './hostile-python.ts';
import { casesOf } from '../support/cases.ts';
import { buildRun, buildRunner, endOf } from './support.ts';

/** Tries each text of the input, and says its outcome: the name of the exception, or the value. */
const TRIES = `
import gc

def proxies():
    todo = gc.get_objects()
    seen = {id(thing) for thing in todo}
    found = []
    while todo:
        thing = todo.pop()
        if type(type(thing)).__name__ == "_JsProxyMetaClass":
            found.append(str(thing)[:50])
        for other in gc.get_referents(thing):
            if id(other) not in seen:
                seen.add(id(other))
                todo.append(other)
    return found

def tried(text):
    try:
        try:
            return {"gave": eval(text, {"proxies": proxies})}
        except SyntaxError:
            *first, last = text.split("; ")
            exec("; ".join(first) or "pass", scope := {})
            try:
                return {"gave": repr(eval(last, scope))}
            except SyntaxError:
                exec(last, scope)
                return {"gave": "nothing"}
    except BaseException as error:
        return {"raised": type(error).__name__}

def main(input):
    return {"ends": [tried(text) for text in input["texts"]]}
`;

describe('hostile Python', function () {
  // A process starts in two seconds, and in many more where the machine is busy.
  this.timeout(300_000);
  let runner: ScriptRunner;
  /** For scripts that use up their time. */
  let brief: ScriptRunner;
  /** For what tries everything in one run: a full machine makes processor time dearer too. */
  let ample: ScriptRunner;

  before(() => {
    runner = buildRunner();
    brief = buildRunner({ cpuMs: 1_000 });
    ample = buildRunner({ cpuMs: 60_000 });
  });
  after(() => Promise.all([runner.close(), brief.close(), ample.close()]));

  const tryAll = async (texts: readonly string[]): Promise<Record<string, unknown>[]> => {
    const outcome = await ample.run(buildRun({ runtime: 'python', script: TRIES, input: JSON.stringify({ texts }) }));
    assert.equal(outcome.outcome, 'returned', JSON.stringify(outcome));
    return (endOf(outcome) as { ends: Record<string, unknown>[] }).ends;
  };

  it('is a corpus of at least eighty scripts', () => {
    const scripts = [...refusedByPython, ...harmlessInPython, ...fatalInPython];
    assert.ok(scripts.length >= 80, String(scripts.length));
  });

  it('finds no way to JavaScript, files, network, processes or memory', async () => {
    const ends = await tryAll(refusedByPython);
    const passed = refusedByPython.flatMap((text, at) => (ends[at]?.raised === undefined ? [[text, ends[at]]] : []));
    assert.deepEqual(passed, []);
  });

  it('gives what it gives to anybody', async () => {
    const ends = await tryAll(harmlessInPython.map(([expression]) => expression));
    assert.deepEqual(
      ends.map((end, at) => [harmlessInPython[at]?.[0], end]),
      harmlessInPython.map(([expression, value]) => [expression, { gave: value }]),
    );
  });

  // Each costs two starts of a Python: `npm test` fills the memory, which a Python has more of. Time and crashes are a matter of any process,
  // which hostile JavaScript shows.
  const bomb = fatalInPython.find(([, , end]) => end === 'SCRIPT_MEMORY_LIMIT');
  for (const [name, script, end] of casesOf(fatalInPython, (one) => one === bomb)) {
    it(`ends tidily: ${name}`, async () => {
      const used = end === 'SCRIPT_TIME_LIMIT' ? brief : runner;
      const outcome = await used.run(buildRun({ runtime: 'python', script }));
      assert.deepEqual(endOf(outcome), end, JSON.stringify(outcome));
    });
  }

  it('ends tidily: bytecode that reads anywhere', async () => {
    const end = endOf(await runner.run(buildRun({ runtime: 'python', script: BYTECODE })));
    assert(end === 'SCRIPT_FAILED' || end === 'SCRIPT_CRASHED', JSON.stringify(end));
  });

  it('leaves nothing to the next run', async () => {
    const script = 'import builtins\nbuiltins.kept = 1\ndef main(i): return {}';
    await runner.run(buildRun({ runtime: 'python', script }));
    const next = 'import builtins\ndef main(i): return {"kept": hasattr(builtins, "kept")}';
    assert.deepEqual(endOf(await runner.run(buildRun({ runtime: 'python', script: next }))), { kept: false });
  });
});
