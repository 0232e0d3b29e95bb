/** Exceptions that the two runtimes have themselves: any other name may be made of data. */
const NAMES_BEFORE_ERROR =
  'Aggregate|Arithmetic|Assertion|Attribute|Buffer|EOF|Eval|FloatingPoint|Import|Indentation|Index|Internal|IO|JSONDecode|Key|Lookup|' +
  'Memory|ModuleNotFound|Name|NotImplemented|OS|Overflow|Permission|FileNotFound|Range|Recursion|Reference|Runtime|Syntax|System|Tab|' +
  'Timeout|Type|UnboundLocal|Unicode|UnicodeDecode|UnicodeEncode|URI|Value|ZeroDivision';
const KIND = new RegExp(
  `^(?:[a-z.]+\\.)?((?:${NAMES_BEFORE_ERROR})?Error|Exception|StopIteration|SystemExit|KeyboardInterrupt)(?=:|$)`,
  'gmu',
);
/** As QuickJS and Python write the lines of a script. */
const PLACE = /\bscript\.(?:(js):(\d{1,6}(?::\d{1,6})?)\b|(py)", line (\d{1,6})\b)/gu;
/** The innermost call is among them: QuickJS names it first, Python last. */
const MAX_PLACES = 20;

/**
 * Where a script failed, for its owner, who may not see what a buyer sent: the kind of the exception and the lines of the script, and no
 * text, since nobody can tell what of a text came from the input, which a script prints in many notations, in parts and in results.
 * @param console what the script printed, and its exception
 * @returns null: it says nothing of either
 */
export function placeOfFailure(console: string): string | null {
  const kind = [...console.matchAll(KIND)].at(-1)?.[1];
  const places = new Set(
    [...console.matchAll(PLACE)].map(([, js, jsLine, py, pyLine]) => `script.${js ?? py}:${jsLine ?? pyLine}`),
  );
  if (kind === undefined && places.size === 0) return null;
  return [kind ?? 'an exception', ...[...places].slice(0, MAX_PLACES).map((place) => `    at ${place}`)].join('\n');
}
