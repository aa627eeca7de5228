import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { clientStory, readSteps } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';

/**
 * Clients in other languages that openapi-generator makes from the served document. Each compiles as strictly
 * as its language allows, and runs the story of generators/story.ts. .ci/run installs their Debian libraries.
 */

const run = promisify(execFile);
// The first build for Rust compiles some fifty crates.
t.setTimeout(900_000);

const generators = join(projectFolder, 'test', 'clients', 'generators');
const folder = join(generators, 'languages');
const generator = '@openapitools/openapi-generator-cli';
const jar = join(generators, 'node_modules', generator, 'bin', 'openapi-generator.jar');
const document = 'out/openapi.json';

/** A program and its arguments. */
type Command = readonly string[];

interface Language {
  /** A command that succeeds if the language and its client's libraries are installed. */
  readonly needs: readonly Command[];
  /** The arguments of openapi-generator, for each of its runs. */
  readonly generate: readonly Command[];
  /** Commands in generators/languages, run in order; the last one runs the story. */
  readonly commands: readonly Command[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Debian's versions, the same as in the client's own build file or near them. */
const kotlinLibraries = ['okhttp', 'okio', 'gson', 'kotlin-stdlib'].map(
  (name) => `/usr/share/java/${name}.jar`,
);
const crates = '/usr/share/cargo/registry';
const goPackage = 'out/go/src/openapi';

const languages: Readonly<Record<string, Language>> = {
  python: {
    // Debian's Python: Debian's packages are not installed for any other Python on the PATH.
    needs: [['/usr/bin/python3', '-c', 'import certifi, dateutil, six, urllib3']],
    generate: [['-g', 'python', '-o', 'out/python']],
    // The client leaves its connections open until the process ends; any other warning is an error.
    commands: [['/usr/bin/python3', '-B', '-W', 'error', '-W', 'ignore::ResourceWarning', 'python/story.py']],
    environment: { PYTHONPATH: 'out/python' },
  },
  rust: {
    needs: [
      ['cargo', '--version'],
      // The linker that rustc calls.
      ['cc', '--version'],
      ['ls', `${crates}/reqwest-0.11.13`],
    ],
    generate: [['-g', 'rust', '-o', 'out/rust']],
    commands: [
      ['cp', 'rust/Cargo.toml', 'out/rust'],
      ['cp', 'rust/main.rs', 'out/rust/src'],
      [
        ...['cargo', 'run', '--quiet', '--offline', '--manifest-path', 'out/rust/Cargo.toml'],
        ...['--config', 'source.crates-io.replace-with="debian"'],
        ...['--config', `source.debian.directory="${crates}"`],
      ],
    ],
    // Keeps the built crates for the next run.
    environment: { RUSTFLAGS: '-D warnings', CARGO_TARGET_DIR: 'target' },
  },
  'java (native)': {
    needs: [['javac', '--version']],
    generate: [
      // Debian has no jackson-databind-nullable; nothing in the document is nullable.
      ['-g', 'java', '--library', 'native', '-p', 'openApiNullable=false', '-o', 'out/java'],
    ],
    // Debian lacks Jackson's JSR 310 and Swagger's annotations, too; the generator's jar contains them.
    commands: [
      [
        // The generated ApiException has no serialVersionUID; any other warning is an error.
        ...[
          'sh',
          '-c',
          'exec javac -Xlint:all,-serial -Werror "$@" $(find out/java/src/main -name "*.java")',
        ],
        ...['javac', '-d', 'out/java/classes', '-cp', jar, 'java/Story.java'],
      ],
      ['java', '-cp', `out/java/classes:${jar}`, 'Story'],
    ],
  },
  go: {
    needs: [
      ['go', 'version'],
      ['ls', '/usr/share/gocode/src/golang.org/x/oauth2'],
    ],
    generate: [
      ['-g', 'go', '-o', goPackage],
      // The generator "go" of this version writes no schema files; those of "go-deprecated" fit.
      ['-g', 'go-deprecated', '--global-property', 'models,modelDocs=false', '-o', goPackage],
    ],
    commands: [
      // The client assigns one error and drops it; vet reports nothing else.
      ['go', 'vet', '-unusedresult=false', 'openapi', './go'],
      ['go', 'run', './go'],
    ],
    // Debian's Go packages are folders of a GOPATH.
    environment: {
      GO111MODULE: 'off',
      GOFLAGS: '',
      GOPATH: `${join(folder, 'out', 'go')}:/usr/share/gocode`,
    },
  },
  perl: {
    needs: [
      [
        ...['perl', '-MClass::Accessor', '-MClass::Data::Inheritable', '-MClass::Inspector', '-MDate::Parse'],
        ...['-MDateTime', '-MJSON', '-MLog::Any', '-MLWP', '-MModule::Find', '-MModule::Runtime'],
        ...['-MURI::Query', '-e', '1'],
      ],
    ],
    generate: [['-g', 'perl', '-o', 'out/perl']],
    commands: [['perl', '-Iout/perl/lib', 'perl/story.pl']],
  },
  ruby: {
    needs: [['ruby', '-e', 'require "typhoeus"']],
    generate: [['-g', 'ruby', '-o', 'out/ruby']],
    commands: [['ruby', '-Iout/ruby/lib', 'ruby/story.rb']],
  },
  'kotlin (jvm-okhttp3)': {
    needs: [['ls', '/usr/bin/kotlinc', ...kotlinLibraries]],
    // The default is OkHttp 4 with Moshi; Debian has OkHttp 3, and no Moshi.
    generate: [
      [
        ...['-g', 'kotlin', '--library', 'jvm-okhttp3', '-p', 'serializationLibrary=gson'],
        ...['-o', 'out/kotlin'],
      ],
    ],
    commands: [
      [
        ...['sh', '-c', 'exec kotlinc "$@" $(find out/kotlin/src/main -name "*.kt")', 'kotlinc'],
        ...['-d', 'out/kotlin/classes', '-cp', kotlinLibraries.join(':'), 'kotlin/Story.kt'],
      ],
      ['java', '-cp', `out/kotlin/classes:${kotlinLibraries.join(':')}`, 'StoryKt'],
    ],
  },
  'cpp-restsdk': {
    needs: [
      ['g++', '--version'],
      ['ls', '/usr/include/cpprest/http_client.h'],
    ],
    generate: [['-g', 'cpp-restsdk', '-o', 'out/cpp']],
    commands: [
      [
        // One compilation for all files, because each would read the same 200,000 lines of headers.
        ...['sh', '-c', `printf '#include "%s"\n' $(find out/cpp -name "*.cpp") cpp/story.cpp | g++ "$@"`],
        ...['g++', '-std=c++14', '-Wall', '-Wextra', '-Wno-unused-parameter', '-Werror'],
        ...['-I.', '-Iout/cpp', '-Iout/cpp/api', '-Iout/cpp/model', '-x', 'c++', '-'],
        ...['-o', 'out/cpp/story', '-lcpprest', '-lcrypto'],
      ],
      ['out/cpp/story'],
    ],
  },
  php: {
    needs: [['php', '-r', 'require "GuzzleHttp/autoload.php"; exit(function_exists("mb_strlen") ? 0 : 1);']],
    generate: [['-g', 'php', '-o', 'out/php']],
    commands: [['php', 'php/story.php']],
  },
};

const noGenerator =
  (!existsSync(jar) && 'the generators are not installed (`npm ci --prefix test/clients/generators`)') ||
  (!succeeds(['java', '-version']) && 'java is not installed');

const { address, tokens } = await startService(t);
if (noGenerator === false) {
  await rm(join(folder, 'out'), { recursive: true, force: true });
  await mkdir(join(folder, 'out'));
  const served = await fetch(`${address}/openapi.json`);
  await writeFile(join(folder, document), await served.text());
}

for (const [name, { needs, generate, commands, environment }] of Object.entries(languages)) {
  const absent = needs.find((command) => !succeeds(command));
  const skip = noGenerator || (absent !== undefined && `this fails: ${absent.join(' ')}`);

  t.test(`a generated ${name} client of the served document works`, { skip }, async (t) => {
    const options = {
      cwd: folder,
      env: {
        ...process.env,
        // Perl warns if the locale is not installed.
        LC_ALL: 'C.UTF-8',
        ...environment,
        PLANTS_URL: address,
        PLANTS_TOKEN: await tokens.issue(name),
      },
    };
    for (const parameters of generate) {
      // The JVM's second compiler would take longer than the whole run.
      const java = ['-XX:TieredStopAtLevel=1', '-jar', jar, 'generate', '-i', document];
      await run('java', [...java, ...parameters], options);
    }
    let last = { stdout: '', stderr: '' };
    for (const [program = '', ...parameters] of commands) last = await run(program, parameters, options);
    t.equal(last.stderr, '', 'without a warning');

    const steps = last.stdout.trim().split('\n').map(readSteps);
    t.strictSame(Object.assign({}, ...steps), clientStory, 'the story');
  });
}

function succeeds([program = '', ...parameters]: Command): boolean {
  return spawnSync(program, parameters).status === 0;
}
