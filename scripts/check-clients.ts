import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * `npm run check:clients [-- <generator> …]`: makes clients of openapi.json with openapi-generator, and compiles them. Exit code 1 where one does not
 * compile, or its tools are not there. The generators of test/clients run with the tests; these need Java and minutes.
 */

const run = promisify(execFile);
const DOCUMENT = join(import.meta.dirname, '..', 'openapi.json');
const VERSION = '7.25.0';

/** The files that compile the Kotlin client by Maven, so that no Gradle is fetched; the versions are those of the build.gradle that is generated. */
const KOTLIN_POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>carnet</groupId><artifactId>client</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-stdlib</artifactId><version>2.4.0</version></dependency>
    <dependency><groupId>com.squareup.moshi</groupId><artifactId>moshi-kotlin</artifactId><version>1.15.2</version></dependency>
    <dependency><groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.4.0</version></dependency>
  </dependencies>
  <build>
    <sourceDirectory>src/main/kotlin</sourceDirectory>
    <plugins><plugin>
      <groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-maven-plugin</artifactId><version>2.4.0</version>
      <executions><execution><goals><goal>compile</goal></goals></execution></executions>
    </plugin></plugins>
  </build>
</project>
`;

const PYTHON_IMPORTS = `
import importlib, pkgutil, openapi_client
for one in pkgutil.walk_packages(openapi_client.__path__, "openapi_client."):
    importlib.import_module(one.name)
`;

/**
 * Its Java client writes true as the text "true" where a boolean has a constant, and does not compile. docs/clients.md takes the constants
 * out with jq.
 */
const withoutBooleanConstants = (document: string): string =>
  JSON.stringify(
    JSON.parse(document, (_, value: unknown) => {
      if (value === null || typeof value !== 'object' || !('const' in value) || typeof value.const !== 'boolean')
        return value;
      const { const: _constant, ...rest } = value;
      return rest;
    }),
  );

type Run = (command: string, ...args: string[]) => Promise<unknown>;

/** How a client is generated beyond the usual, and compiled in its folder. */
const GENERATORS: Record<
  string,
  { options: string[]; reads?(document: string): string; compile(folder: string, compiler: Run): Promise<unknown> }
> = {
  java: {
    options: ['--additional-properties', 'disallowAdditionalPropertiesIfNotPresent=false'],
    reads: withoutBooleanConstants,
    compile: (_folder, compiler) => compiler('mvn', '-q', '-B', 'compile'),
  },
  kotlin: {
    options: [],
    async compile(folder, compiler) {
      await writeFile(join(folder, 'pom.xml'), KOTLIN_POM);
      // In the same process: a daemon would stay for hours.
      await compiler('mvn', '-q', '-B', 'compile', '-Dkotlin.compiler.daemon=false');
    },
  },
  python: {
    options: [],
    async compile(_folder, compiler) {
      await compiler('python3', '-m', 'pip', 'install', '-q', '--target', '.', '-r', 'requirements.txt');
      await compiler('python3', '-c', PYTHON_IMPORTS);
    },
  },
};

const messageOf = (error: unknown): string => {
  const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
  return `${stdout}${stderr}`.trim() || message;
};

const asked = process.argv.slice(2);
const names = asked.length === 0 ? Object.keys(GENERATORS) : asked;
const folder = await mkdtemp(join(tmpdir(), 'carnet-check-clients-'));
try {
  await run('mvn', [
    '-q',
    '-B',
    'dependency:copy',
    `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`,
    `-DoutputDirectory=${folder}`,
  ]);
  for (const name of names) {
    const generator = GENERATORS[name];
    if (generator === undefined) throw new Error(`${name} is none of ${Object.keys(GENERATORS).join(', ')}`);
    const client = join(folder, name);
    const begun = performance.now();
    const document = join(folder, `${name}.json`);
    const text = await readFile(DOCUMENT, 'utf8');
    await writeFile(document, generator.reads?.(text) ?? text);
    const jar = join(folder, `openapi-generator-cli-${VERSION}.jar`);
    await run('java', ['-jar', jar, 'generate', '-i', document, '-g', name, '-o', client, ...generator.options], {
      maxBuffer: 1e8,
    });
    await generator.compile(client, (command, ...args) => run(command, args, { cwd: client, maxBuffer: 1e8 }));
    console.log(`${name}: generated and compiled in ${Math.round((performance.now() - begun) / 1_000)} s`);
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
