/** There is no verdict: a detector threw, did not end in time, or its thread is gone. What was to be scanned may not pass. */
export class ScanFailed extends Error {
  override readonly name: string = 'ScanFailed';
}

/** The scan used more processor time than it may have. That is owed to the text; what a busy machine delays is a plain `ScanFailed`. */
export class ScanTooSlow extends ScanFailed {
  override readonly name = 'ScanTooSlow';
}

/** Its operator has as many scans under way as one may have; it can be scanned when one of them has ended. */
export class ScanLater extends Error {
  override readonly name = 'ScanLater';
}
