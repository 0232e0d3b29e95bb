/** The detectors, in the order of docs/scanning.md. */
export type DetectorKey =
  | 'instruction_override'
  | 'hidden_text'
  | 'encoded_payload'
  | 'credential_request'
  | 'secret_leak'
  | 'private_url'
  | 'spoofed_sender'
  | 'unscanned';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** Where something was found. */
export interface Place {
  /**
   * `from`, `to`, `subject`, `text`, `html`, `attachments/0/name`, or a JSON pointer into the payload; with `#` behind it the name of that member. At most 160 characters: of a longer
   * pointer its beginning, `…` and a hash of it.
   */
  place: string;
  /** Code points of what stands in that place of the payload, from `start` to before `end`. */
  span: { start: number; end: number };
}

export interface Finding extends Place {
  detector_key: DetectorKey;
  severity: Severity;
  /** One sentence for a person, without the text itself. */
  reason: string;
}

export interface Verdict {
  /** `clean`: nothing, or low. `suspicious`: medium. `malicious`: high or above. */
  verdict: 'clean' | 'suspicious' | 'malicious';
  severity: 'none' | Severity;
  /** At most 50, the gravest first; of one severity what was not scanned first. */
  findings: Finding[];
}

const MAX_FINDINGS = 50;
const ranks: Record<'none' | Severity, number> = { none: 0, low: 1, medium: 2, high: 3, critical: 4 };

export const isAtLeast = (severity: 'none' | Severity, least: Severity): boolean => ranks[severity] >= ranks[least];

/** No finding of its severity pushes `unscanned` out of the list: what was scanned in part is held by it, and the sender chooses how much else is found. */
const rankOf = ({ severity, detector_key: key }: Finding): number => ranks[severity] + (key === 'unscanned' ? 0.5 : 0);

/** @param findings in the order of the text, which those of one rank keep */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const gravest = findings.toSorted((one, other) => rankOf(other) - rankOf(one));
  const severity = gravest[0]?.severity ?? 'none';
  const verdict = isAtLeast(severity, 'high') ? 'malicious' : severity === 'medium' ? 'suspicious' : 'clean';
  return { verdict, severity, findings: gravest.slice(0, MAX_FINDINGS) };
}
