import type { PassagesOfBody } from '../../context/ports.ts';
import type { JsonValue } from '../../json/value.ts';
import type { NormalText } from './text/normalise.ts';
import { normalise, Workspace, type Memory } from './text/normalise.ts';
import type { Folded } from './text/characters.ts';
import { stretchOf, type Stretch } from './text/source.ts';
import { viewsOf } from './html/views.ts';
import { makeLexicon } from './lexicon/lexicon.ts';
import { excerptOf } from './excerpt.ts';
import { passagesOf } from './passages.ts';
import { credentialRequest } from './detectors/credential-request.ts';
import { encodedPayloads } from './detectors/encoded-payload.ts';
import { hiddenText, raise } from './detectors/hidden-text.ts';
import { instructionOverride } from './detectors/instruction-override.ts';
import { privateUrl } from './detectors/private-url.ts';
import { secretLeak } from './detectors/secret-leak.ts';
import { spoofedSender } from './detectors/spoofed-sender.ts';
import type { Detection, Detector, Scene } from './detectors/scene.ts';
import { readWhole } from '../providers/read-body.ts';
import type { Body, Field, ScanInput } from '../reading/body.ts';
import { documentsIn } from '../reading/documents.ts';
import { isAtLeast, verdictOf, type Finding, type Place, type Severity, type Verdict } from './verdict.ts';

/** In the order of their findings of one severity. */
export const detectors: readonly Detector[] = [
  instructionOverride,
  credentialRequest,
  secretLeak,
  privateUrl,
  spoofedSender,
  hiddenText,
];

/** Each throws UnreadableBody, and what a detector throws. */
export interface BodyScanner {
  scan(input: ScanInput): Promise<Verdict>;
  /** The part that may be forwarded. */
  read(input: ScanInput): Promise<JsonValue>;
  /** @param findings those of its scan */
  excerpt(input: ScanInput, findings: readonly Place[]): Promise<string>;
  /** @param findings those of its scan */
  passages(input: ScanInput, findings: readonly Place[]): Promise<PassagesOfBody>;
}

/** Makes a scanner for one thread: the lexicon is compiled once, and what was learned of characters stays. */
export function makeBodyScanner(from: readonly Detector[] = detectors): BodyScanner {
  const lexicon = makeLexicon();
  const cache = new Map<number, Folded>();
  const memory: Memory = { cache, workspace: new Workspace() };
  return {
    scan: async (input) => {
      const body = await readWhole(input);
      const documents = await documentsIn(body);
      const text = textOf(body, memory);
      const scene: Scene = {
        text,
        shown: stringOf(text.shown),
        hits: lexicon.find(text.folded),
        sender: body.sender,
        unseen: false,
        isDense: false,
      };
      const detections = from.flatMap((detector) => detector(scene));
      detections.push(
        ...encodedPayloads(scene, { lexicon, cache, detectors: from, documents }),
        ...raise(text, detections),
      );
      escalate(detections);
      return verdictOf(findingsOf(text, detections, body));
    },
    read: async (input) => (await readWhole(input)).payload,
    excerpt: async (input, findings) => excerptOf(textOf(await readWhole(input), memory), findings),
    passages: async (input, findings) => passagesOf(await readWhole(input), findings),
  };
}

/** A wrong name of the sender is grave beside an order to do something, a link into a private network beside a grave one: documentation is full of such links. */
function escalate(detections: Detection[]): void {
  const isOrdered = (least: Severity): boolean =>
    detections.some(
      ({ detector_key, severity }) =>
        (detector_key === 'instruction_override' || detector_key === 'credential_request') &&
        isAtLeast(severity, least),
    );
  const [isUrlGrave, isSenderGrave] = [isOrdered('high'), isOrdered('medium')];
  for (const detection of detections)
    if (
      (detection.detector_key === 'private_url' && isUrlGrave) ||
      (detection.detector_key === 'spoofed_sender' && isSenderGrave)
    )
      detection.severity = 'high';
}

const stringOf = (units: Uint16Array): string =>
  Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');

function textOf({ selected, unscanned }: Body, memory: Memory): NormalText {
  const { runs, cut } = viewsOf(selected);
  for (const field of cut) {
    const place = selected[field]?.place ?? '';
    unscanned.push({ place, reason: 'The HTML is longer than 2 MiB; what follows was not scanned.' });
  }
  return normalise(selected, runs, memory);
}

function findingsOf(text: NormalText, detections: readonly Detection[], { unscanned, selected }: Body): Finding[] {
  const findings: Finding[] = unscanned.map(({ place, reason }) => {
    const length = selected.find((one) => one.place === place)?.text.length ?? 0;
    return { detector_key: 'unscanned', severity: 'high', place, span: { start: 0, end: length }, reason };
  });
  if (text.cut)
    findings.push({
      detector_key: 'unscanned',
      severity: 'high',
      place: '',
      span: { start: 0, end: 0 },
      reason: 'Characters of the text stand for so many others that they were not all read.',
    });
  const points = new Points(text.fields);
  // HTML is read in several ways, and each finds what it finds.
  const known = new Set<string>();
  for (const { detector_key, severity, start, end, reason } of detections) {
    const stretch = stretchOf(text, start, end);
    const name = `${detector_key} ${severity} ${stretch.field} ${stretch.start} ${stretch.end}`;
    if (known.has(name)) continue;
    known.add(name);
    findings.push({
      detector_key,
      severity,
      place: text.fields[stretch.field]?.place ?? '',
      span: points.span(stretch),
      reason,
    });
  }
  return findings;
}

/** Counts code points of fields; each is counted from where the last count ended, so that many findings cost one pass. */
class Points {
  readonly #fields: readonly Field[];
  readonly #last = new Map<number, { unit: number; point: number }>();

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  span({ field, start, end }: Stretch): { start: number; end: number } {
    return { start: this.#point(field, start), end: this.#point(field, end) };
  }

  #point(field: number, unit: number): number {
    const text = this.#fields[field]?.text ?? '';
    const last = this.#last.get(field);
    let { unit: at, point } = last !== undefined && last.unit <= unit ? last : { unit: 0, point: 0 };
    for (; at < unit; at += 1) {
      point += 1;
      if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at += 1;
    }
    this.#last.set(field, { unit, point });
    return point;
  }
}
