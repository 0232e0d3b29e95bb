import { reporters } from 'mocha';

/** mocha's own `spec` reporter, ended by one plain line that people, scripts and CI can read alike. */
class CountingSpec extends reporters.Spec {
  override epilogue(): void {
    super.epilogue();
    const { passes, failures } = this.stats;
    reporters.Base.consoleLog('%d passed, %d failed', passes, failures);
  }
}

// The one default export of the house: mocha takes a reporter from a module's `default`.
export default CountingSpec;
