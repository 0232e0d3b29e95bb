/** Where traces go, and how many. */
export interface TracingSettings {
  /** Takes OTLP in JSON: `OTEL_EXPORTER_OTLP_ENDPOINT` and `/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** 0 to 1: the part of the requests whose trace is exported. */
  ratio: number;
}

/** The values of OTEL_TRACES_SAMPLER. A caller's flag decides nothing here, so those that ask the parent mean the same as the others. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const ratioOf = (sampler: (typeof samplers)[number], argument: number): number =>
  sampler.endsWith('traceidratio') ? argument : sampler.endsWith('always_on') ? 1 : 0;
