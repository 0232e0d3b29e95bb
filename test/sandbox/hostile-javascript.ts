import type { ScriptFault } from '../../src/sandbox/script-runner.ts';

/** A script, and how it must end: with a fault, or with this as its output. */
export type Hostile = [name: string, script: string, end: ScriptFault | object];

const returns = (expression: string): string => `function main(input) { return { is: ${expression} }; }`;
const throws = (statements: string): string => `function main(input) { ${statements} return {}; }`;
/** Whether an expression throws or gives nothing. */
const absent = (name: string, expression: string): Hostile => [
  name,
  `function main() { let is; try { is = ${expression}; } catch (error) { is = undefined; } return { absent: is === undefined }; }`,
  { absent: true },
];

const loops: Hostile[] = [
  ['an endless loop', throws('for (;;);'), 'SCRIPT_TIME_LIMIT'],
  ['an endless loop at the top', 'for (;;);', 'SCRIPT_TIME_LIMIT'],
  ['an endless loop that catches', throws('for (;;) { try { for (;;); } catch {} }'), 'SCRIPT_TIME_LIMIT'],
  ['an endless loop in finally', throws('try { for (;;); } finally { for (;;); }'), 'SCRIPT_TIME_LIMIT'],
  ['an endless generator', throws('function* g() { for (;;) yield 1; } for (const _ of g());'), 'SCRIPT_TIME_LIMIT'],
  ['a promise flood', 'async function main() { for (;;) await 0; }', 'SCRIPT_TIME_LIMIT'],
  [
    'promises that make promises',
    'function main() { const f = () => Promise.resolve().then(f); f(); return new Promise(() => {}); }',
    'SCRIPT_TIME_LIMIT',
  ],
  ['an endless thenable', 'function main() { const t = { then(f) { f(t); } }; return t; }', 'SCRIPT_TIME_LIMIT'],
  ['an endless getter', throws('return { get a() { for (;;); } };'), 'SCRIPT_TIME_LIMIT'],
  ['an endless toJSON', throws('return { toJSON() { for (;;); } };'), 'SCRIPT_TIME_LIMIT'],
  [
    'an exception whose message is endless',
    throws('throw { get message() { for (;;); }, toString() { for (;;); }, toJSON() { for (;;); } };'),
    'SCRIPT_TIME_LIMIT',
  ],
  [
    'an error whose stack is endless',
    throws('const e = new Error("x"); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e;'),
    'SCRIPT_TIME_LIMIT',
  ],
  ['a regular-expression bomb', throws('/^(a+)+$/.test("a".repeat(40) + "b");'), 'SCRIPT_TIME_LIMIT'],
  ['a regular-expression bomb by backreferences', throws('/(x+x+)+y/.test("x".repeat(60));'), 'SCRIPT_TIME_LIMIT'],
  ['a slow sort', throws('for (;;) [3, 2, 1].sort(() => 1);'), 'SCRIPT_TIME_LIMIT'],
  ['an endless proxy', throws('return new Proxy({}, { ownKeys() { for (;;); } });'), 'SCRIPT_TIME_LIMIT'],
  ['a main that never answers', 'function main() { return new Promise(() => {}); }', 'SCRIPT_FAILED'],
  ['an await that nothing ends', 'async function main() { await new Promise(() => {}); }', 'SCRIPT_FAILED'],
];

const memory: Hostile[] = [
  ['a memory bomb of arrays', throws('const a = []; for (;;) a.push(new Array(1000).fill(1));'), 'SCRIPT_MEMORY_LIMIT'],
  ['a memory bomb of objects', throws('let a = {}; for (;;) a = { a, b: [a] };'), 'SCRIPT_MEMORY_LIMIT'],
  ['a memory bomb of one buffer', throws('new Uint8Array(1e9);'), 'SCRIPT_MEMORY_LIMIT'],
  ['a memory bomb of buffers', throws('const a = []; for (;;) a.push(new ArrayBuffer(1e6));'), 'SCRIPT_MEMORY_LIMIT'],
  [
    'a memory bomb of closures',
    throws('let f = () => 1; for (;;) { const g = f; f = () => g; }'),
    'SCRIPT_MEMORY_LIMIT',
  ],
  [
    'a memory bomb of symbols',
    throws('const a = []; for (let i = 0; ; i++) a.push(Symbol("s" + i));'),
    'SCRIPT_MEMORY_LIMIT',
  ],
  [
    'a memory bomb of a map',
    throws('const m = new Map(); for (let i = 0; ; i++) m.set(i, {});'),
    'SCRIPT_MEMORY_LIMIT',
  ],
  ['a memory bomb of a big number', throws('let n = 3n; for (;;) n = n * n;'), 'SCRIPT_FAILED'],
  ['a text of a gigabyte', throws('"x".repeat(1e9);'), 'SCRIPT_MEMORY_LIMIT'],
  ['a text that doubles', throws('let s = "xx"; for (;;) s = (s + s).slice(0);'), 'SCRIPT_MEMORY_LIMIT'],
  ['a text padded to the limit', throws('"x".padEnd(2 ** 30 - 1);'), 'SCRIPT_MEMORY_LIMIT'],
  ['a stack bomb', throws('const f = () => f() + 1; f();'), 'SCRIPT_FAILED'],
  [
    'a stack bomb by nested arrays',
    throws('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return { a };'),
    'SCRIPT_CRASHED',
  ],
  ['a stack bomb in a getter', throws('const o = { get a() { return o.a; } }; o.a;'), 'SCRIPT_FAILED'],
  ['a stack bomb in JSON.parse', throws('JSON.parse("[".repeat(1e6));'), 'SCRIPT_CRASHED'],
  ['a stack bomb in a regular expression', throws('new RegExp("(".repeat(1e5) + ")".repeat(1e5));'), 'SCRIPT_FAILED'],
  ['a stack bomb in eval', throws('eval("(".repeat(1e6));'), 'SCRIPT_CRASHED'],
  ['a sparse array', returns('(() => { const a = []; a[4294967294] = 1; return a.length; })()'), { is: 4294967295 }],
];

const outputs: Hostile[] = [
  ['no main', 'const x = 1;', 'SCRIPT_FAILED'],
  ['a main that is no function', 'const main = 1;', 'SCRIPT_FAILED'],
  ['a script that is no JavaScript', 'function main( {', 'SCRIPT_FAILED'],
  ['an output that is a text', 'const main = () => "text";', 'SCRIPT_OUTPUT_INVALID'],
  ['an output that is a list', 'const main = () => [1];', 'SCRIPT_OUTPUT_INVALID'],
  ['an output that is null', 'const main = () => null;', 'SCRIPT_OUTPUT_INVALID'],
  ['no output', 'const main = () => {};', 'SCRIPT_OUTPUT_INVALID'],
  ['an output that is a function', 'const main = () => main;', 'SCRIPT_OUTPUT_INVALID'],
  ['an output with a circle', throws('const a = {}; a.a = a; return a;'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output with a BigInt', throws('return { a: 1n };'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output whose toJSON is a list', throws('return { toJSON() { return []; } };'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output whose toJSON is a text', throws('return { toJSON() { return "{}"; } };'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output whose toJSON is nothing', throws('return { toJSON() {} };'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output whose getter throws', throws('return { get a() { throw 1; } };'), 'SCRIPT_OUTPUT_INVALID'],
  [
    'a revoked proxy',
    throws('const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;'),
    'SCRIPT_FAILED',
  ],
  ['an output of half a character', throws('return { a: "\\ud800" };'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output with NUL', throws('return { a: "\\0" };'), 'SCRIPT_OUTPUT_INVALID'],
  ['an output with a member __proto__', throws('return JSON.parse(\'{"__proto__": 1}\');'), 'SCRIPT_OUTPUT_INVALID'],
  [
    'an output too deep',
    throws('let a = {}; for (let i = 0; i < 100; i++) a = { a }; return a;'),
    'SCRIPT_OUTPUT_INVALID',
  ],
  ['an output too large', throws('return { a: "x".repeat(2 ** 20) };'), 'SCRIPT_OUTPUT_TOO_LARGE'],
  ['an output too large in bytes alone', throws('return { a: "é".repeat(2 ** 19) };'), 'SCRIPT_OUTPUT_TOO_LARGE'],
  ['an output much too large', throws('return { a: "x".repeat(3e7) };'), 'SCRIPT_MEMORY_LIMIT'],
  ['an output with numbers that JSON lacks', returns('[NaN, Infinity]'), { is: [null, null] }],
  ['what is thrown is nothing', throws('throw undefined;'), 'SCRIPT_FAILED'],
  ['what is thrown is a symbol', throws('throw Symbol("s");'), 'SCRIPT_FAILED'],
  ['what is thrown throws', throws('throw { toString() { throw 1; }, get message() { throw 2; } };'), 'SCRIPT_FAILED'],
  [
    'what is thrown at the top throws',
    'throw { toString() { throw 1; }, get message() { throw 2; } };',
    'SCRIPT_FAILED',
  ],
  ['a flood of printing', throws('for (let i = 0; i < 1e5; i++) console.log("x".repeat(100));'), {}],
  [
    'printing what cannot be printed',
    throws('const a = {}; a.a = a; console.log(a, Symbol("s"), 1n, undefined, new Proxy({}, {}));'),
    {},
  ],
];

const escapes: Hostile[] = [
  absent('process', 'process'),
  absent('globalThis.process', 'globalThis.process'),
  absent('require', 'require("fs")'),
  absent('module', 'module'),
  absent('fetch', 'fetch'),
  absent('XMLHttpRequest', 'XMLHttpRequest'),
  absent('WebSocket', 'WebSocket'),
  absent('setTimeout', 'setTimeout'),
  absent('Worker', 'Worker'),
  absent('WebAssembly', 'WebAssembly'),
  absent('Deno and Bun', 'globalThis.Deno ?? globalThis.Bun'),
  absent('std and os of QuickJS', 'globalThis.std ?? globalThis.os ?? globalThis.bjson'),
  absent('scriptArgs', 'globalThis.scriptArgs'),
  absent('gc', 'gc'),
  absent('Node by the constructor of this', 'this.constructor.constructor("return process")()'),
  absent('Node by Function', 'Function("return process")()'),
  absent('Node by a generator function', '(function* () {}).constructor("return process")().next().value.pid'),
  absent('Node by an async function', '(async () => {}).constructor("throw 1").process'),
  absent('Node by eval', '(0, eval)("process")'),
  absent('Node by the constructor of console.log', 'console.log.constructor("return process")()'),
  absent(
    'Node by an error of the host',
    '(() => { try { null.x } catch (e) { return e.constructor.constructor("return process")() } })()',
  ),
  absent('the caller of main', 'main.caller'),
  absent('what stands in arguments', '(function () { return arguments.callee.caller })().caller'),
  absent('a way to wait', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9)'),
  [
    'Error.prepareStackTrace',
    `Error.prepareStackTrace = (_, frames) => frames; ${returns('typeof new Error("x").stack?.[0]?.getThis')}`,
    { is: 'undefined' },
  ],
  ['an import', 'import fs from "node:fs"; function main() { return {}; }', 'SCRIPT_FAILED'],
  ['an import at run time', 'async function main() { return { fs: await import("node:fs") }; }', 'SCRIPT_FAILED'],
  ['an import of a file', 'async function main() { return { a: await import("/etc/passwd") }; }', 'SCRIPT_FAILED'],
  ['paths of the host in a stack', returns('/work|node_modules|file:|wasm/.test(new Error("x").stack)'), { is: false }],
  [
    'JSON.stringify in other hands',
    `JSON.stringify = () => '"mine"'; JSON.parse = () => 1; ${returns('input.known')}`,
    { is: 1 },
  ],
  [
    'Promise in other hands',
    `Promise.prototype.then = () => { throw 1; }; Promise.resolve = 1; ${returns('2')}`,
    { is: 2 },
  ],
  ['Object.prototype.toJSON', `Object.prototype.toJSON = () => 'all'; ${returns('1')}`, 'SCRIPT_OUTPUT_INVALID'],
  [
    'Array.prototype and String.prototype in other hands',
    `Array.prototype.push = String.prototype.split = 1; Array.prototype[Symbol.iterator] = 1; ${returns('3')}`,
    { is: 3 },
  ],
  [
    'Symbol.species',
    `class A extends Array { static get [Symbol.species]() { throw 1; } } ${returns('[...A.from([1])]')}`,
    { is: [1] },
  ],
  [
    'Symbol.hasInstance',
    `Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); ${returns('1')}`,
    { is: 1 },
  ],
  [
    'a console in other hands',
    `console.log = () => { throw 1; }; delete globalThis.console; ${returns('4')}`,
    { is: 4 },
  ],
  [
    'a global of ours',
    returns('Object.getOwnPropertyNames(globalThis).filter((name) => /print|answer|carnet/.test(name))'),
    { is: [] },
  ],
  [
    'the function of ours that called main, called again',
    `Error.prepareStackTrace = (_, frames) => frames;
    function main() {
      if (globalThis.called) return { is: 'of the second' };
      globalThis.called = true;
      const caller = new Error('x').stack.map((frame) => frame.getFunction()).at(-1);
      caller(main, '{}', (kind, text) => { globalThis.kept = [kind, text]; });
      return { is: 'of the first' };
    }`,
    { is: 'of the first' },
  ],
  ['frames of the channel, printed', throws('console.log("\\0".repeat(16) + "o\\x02\\0\\0\\0{}");'), {}],
  ['a weak reference', returns('typeof new WeakRef(input).deref()'), { is: 'object' }],
  ['memory that earlier runs have left', returns('new Uint8Array(4e6).some((byte) => byte !== 0)'), { is: false }],
];

export const hostileJavaScript: readonly Hostile[] = [...loops, ...memory, ...outputs, ...escapes];
