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

declare module 'fastify' {
  export interface FastifyRequest<Params = unknown, Body = unknown> {
    readonly id: string;
    readonly ip: string;
    readonly headers: Record<string, string | undefined>;
    readonly routeOptions: { url?: string };
    readonly params: Params;
    readonly body: Body;
  }
  export interface FastifyReply {
    readonly statusCode: number;
    readonly elapsedTime: number;
    code(status: number): this;
    header(name: string, value: string): this;
    headers(headers: Record<string, string>): this;
    send(body: object): Promise<void>;
  }
  type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  interface Schema {
    params: object;
    body?: object;
    response: Record<number, object>;
  }
  export interface FastifyInstance {
    setValidatorCompiler(compiler: unknown): this;
    setSerializerCompiler(compiler: unknown): this;
    register(plugin: unknown, options: object): Promise<void>;
    addHook(name: 'onRequest' | 'onResponse', hook: Hook): this;
    get<Params, Body>(
      path: string,
      options: { schema: Schema },
      handler: (request: FastifyRequest<Params, Body>) => Promise<object>,
    ): this;
    post<Params, Body>(
      path: string,
      options: { schema: Schema },
      handler: (request: FastifyRequest<Params, Body>) => Promise<object>,
    ): this;
    listen(address: { port: number; host: string }): Promise<string>;
    addresses(): { port: number }[];
  }
  export const LogController: new (options: { disableRequestLogging: boolean }) => object;
  export default function fastify(options: object): FastifyInstance;
}

declare module '@fastify/helmet' {
  const plugin: unknown;
  export default plugin;
}
declare module '@fastify/rate-limit' {
  const plugin: unknown;
  export default plugin;
}
declare module 'fastify-type-provider-zod' {
  export const validatorCompiler: unknown;
  export const serializerCompiler: unknown;
}

/** The types of Node lack it. */
declare namespace WebAssembly {
  type Module = object;
  function compile(bytes: Uint8Array): Promise<Module>;
}
