/**
 * The part of the rivals that the benches use. Their packages are installed by `npm run bench` alone, and types are checked
 * without them.
 */
declare module '@dbos-inc/dbos-sdk' {
  export const DBOS: {
    readonly workflowID: string | undefined;
    setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void;
    registerWorkflow<Args extends unknown[], Result>(
      workflow: (...args: Args) => Promise<Result>,
      options: { name: string },
    ): (...args: Args) => Promise<Result>;
    runStep<Result>(step: () => Promise<Result>, options: { name: string }): Promise<Result>;
    launch(): Promise<void>;
  };
}

declare module '@restatedev/restate-sdk' {
  export interface Context {
    readonly rand: { uuidv4(): string };
    run<Result>(name: string, step: () => Promise<Result>): Promise<Result>;
  }
  export interface Service {
    name: string;
    handlers: Record<string, (context: Context, argument: never) => Promise<object>>;
  }
  export function service(definition: Service): Service;
  export function serve(endpoint: { services: Service[]; port: number }): Promise<number>;
}
