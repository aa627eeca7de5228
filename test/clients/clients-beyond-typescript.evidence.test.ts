import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder } from '../../src/project.js';
import { clientStory, readSteps } from '../support/client-story.js';
import { startService } from '../support/service.js';

/**
 * Clients in other languages, which openapi-generator makes from the served document: each compiles as strictly
 * as its language can, and tells the story of clients/story.ts against the service. Their libraries are Debian's,
 * which .ci/run installs.
 */

const run = promisify(execFile);
// The first build for Rust compiles some fifty crates.
t.setTimeout(900_000);

const folder = join(projectFolder, 'clients', 'languages');
const generator = '@openapitools/openapi-generator-cli';
const jar = join(projectFolder, 'clients', 'node_modules', generator, 'bin', 'openapi-generator.jar');
const document = 'out/openapi.json';

/** A program and its parameters. */
type Command = readonly string[];

interface Language {
  /** What succeeds where the language and the libraries of its client are there. */
  readonly needs: readonly Command[];
  /** The parameters of openapi-generator, of each of its runs. */
  readonly generate: readonly Command[];
  /** In clients/languages, one after the other; the last one tells the story. */
  readonly commands: readonly Command[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Debian's; of the versions that the client's own build file names, or near. */
const kotlinLibraries = ['okhttp', 'okio', 'gson', 'kotlin-stdlib'].map(
  (name) => `/usr/share/java/${name}.jar`,
);
const crates = '/usr/share/cargo/registry';
const goPackage = 'out/go/src/openapi';

const languages: Readonly<Record<string, Language>> = {
  python: {
    // Debian's own, since its packages are not there for another Python of the PATH.
    needs: [['/usr/bin/python3', '-c', 'import certifi, dateutil, six, urllib3']],
    generate: [['-g', 'python', '-o', 'out/python']],
    // It leaves its connections to the end of the process; no other warning passes.
    commands: [['/usr/bin/python3', '-B', '-W', 'error', '-W', 'ignore::ResourceWarning', 'python/story.py']],
    environment: { PYTHONPATH: 'out/python' },
  },
  rust: {
    needs: [
      ['cargo', '--version'],
      // Its linker.
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
    // What was built of the crates stays for the next time.
    environment: { RUSTFLAGS: '-D warnings', CARGO_TARGET_DIR: 'target' },
  },
  'java (native)': {
    needs: [['javac', '--version']],
    generate: [
      // Debian has no jackson-databind-nullable; nothing in the document is nullable.
      ['-g', 'java', '--library', 'native', '-p', 'openApiNullable=false', '-o', 'out/java'],
    ],
    // Debian lacks Jackson's JSR 310 and Swagger's annotations, too: the jar of the generator has them.
    commands: [
      [
        // Its ApiException has no serialVersionUID; no other warning passes.
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
      // "go" of this version writes no file for any schema; those of "go-deprecated" fit.
      ['-g', 'go-deprecated', '--global-property', 'models,modelDocs=false', '-o', goPackage],
    ],
    commands: [
      // Its client makes an error once and drops it; nothing else is found.
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
    // Its default is OkHttp 4 with Moshi; Debian has OkHttp 3, and no Moshi.
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
        // All files as one, because each reads the same 200,000 lines of headers.
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
  (!existsSync(jar) && 'the generators are not installed (`npm ci --prefix clients`)') ||
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

  t.test(`${name}: a client of the served document`, { skip }, async (t) => {
    const options = {
      cwd: folder,
      env: {
        ...process.env,
        // Perl warns of a locale that is not installed.
        LC_ALL: 'C.UTF-8',
        ...environment,
        PLANTS_URL: address,
        PLANTS_TOKEN: await tokens.issue(name),
      },
    };
    for (const parameters of generate) {
      // Short of the second compiler of the JVM, it is done before that would pay.
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

t.test('docs/clients.md says of the same languages that their story is whole', async (t) => {
  const page = await readFile(join(projectFolder, 'docs', 'clients.md'), 'utf8');
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(projectFolder, 'clients', 'package.json'), 'utf8'),
  );
  const [, section = ''] = page.split('## Beyond TypeScript');
  t.ok(section.replaceAll('\n', ' ').includes(`${generator} ${manifest.dependencies[generator]}`));
  const whole = [...section.matchAll(/^\| (.*?) *\|.*\| whole *\|$/gm)].map(([, name]) => name);
  t.strictSame(whole, Object.keys(languages));
});

function succeeds([program = '', ...parameters]: Command): boolean {
  return spawnSync(program, parameters).status === 0;
}
