/**
 * No text from outside takes a regular expression longer than its length justifies. A regular expression can
 * take a time that grows with the square of the length: `/x+$/` on `xxxx…y` begins again at each `x`. With
 * the 16 KiB of a URL, that is 80 ms, in which the event loop serves nobody.
 *
 * The test finds every regular expression of `src/`, `scripts/kit` and the tools for any contract in the
 * sources, so that none can be forgotten. For each file with one, or for its folder, `readers` says what the test does:
 *
 * - a list: texts that its expressions match. The test repeats each piece of them until the text is as long as
 *   those that can arrive, puts something behind it that may not match, and compares the time of the
 *   worst of these texts with that of one that is eight times shorter. A linear expression takes about 8
 *   times as long, and a quadratic one about 64 times.
 * - a text: why no text from outside gets to the file's expressions.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { lastSegmentOf } from '../scripts/contract/check/resources/answer-reader.js';
import { nextLinkOf } from '../scripts/contract/check/resources/next-page.js';
import { isToken } from '../src/access/token.js';
import { projectFolder } from '../src/project.js';
import { stringFormats } from '../src/schema/formats.js';

/**
 * Headers have 16 KiB. Bodies and the lines that the checker reads have 64 KiB, but a ratio does not need
 * them, and with them the test of a quadratic expression would take minutes to fail.
 */
const longest = 16_384;
const growth = 8;
/** A linear time grows about 8 times, a quadratic one about 64 times. */
const maxGrowth = 20;
/** How long the texts are among which the worst one is looked for. */
const searchLength = 256;

type Use = (text: string) => unknown;

interface Reader {
  /** Each expression that is written as a literal matches one of them at least. */
  readonly texts: readonly string[];
  /** Calls what the file makes of `new RegExp`, if it has one. */
  readonly uses?: readonly Use[];
}

const commandLine = 'It reads the command line or the environment of whoever starts the program.';
const contract = 'It reads the contract, which the operator chooses.';
const ownRequests = 'It reads what the check itself has made.';
const ownFile = 'It reads files and programs of the machine on which it runs.';

const readers: Readonly<Record<string, Reader | readonly string[] | string>> = {
  'scripts/contract/check/answers/attempt.ts': ownRequests,
  'scripts/contract/check/answers/check-answer.ts': [
    ...['12 bytes', 'set-cookie', 'accept-a', 'a , b', 'a/b; charset = "c"', '/1/23'],
  ],
  'scripts/contract/check/answers/findings.ts': contract,
  'scripts/contract/check/check.ts': contract,
  'scripts/contract/check/command-line.ts': commandLine,
  'scripts/contract/check/document/': contract,
  'scripts/contract/check/probes/bulk-operations.ts': ['http_status_code', 'code', 'failed', 'item_errors'],
  'scripts/contract/check/probes/conditions.ts': ['W/"a"'],
  'scripts/contract/check/probes/follow-work.ts': ['120'],
  'scripts/contract/check/probes/json-mutations.ts': ownRequests,
  'scripts/contract/check/probes/methods.ts': contract,
  'scripts/contract/check/probes/mutations.ts': contract,
  'scripts/contract/check/probes/security.ts': ['Bearer a="b", error="c"'],
  'scripts/contract/check/probes/strangers.ts': ['$TOKEN'],
  'scripts/contract/check/probes/totals.ts': ['total_count', 'item_count', '123'],
  'scripts/contract/check/probes/transport.ts': ownRequests,
  'scripts/contract/check/probes/work-places.ts': ['$response.body#/ab', 'path.a', '/a/{id}', 'http://a'],
  'scripts/contract/check/probes/work-state.ts': [
    ...['job_state', 'is_done', 'completed', 'timed-out', 'partially_failed', 'errors'],
  ],
  'scripts/contract/check/reporters/hide-credentials.ts': [
    ...['%ab…', 'a:b', 'AB', '%e2%82%ac', '\\020\\033', '%41', '\\u{1f4}', '\\u0041', '\\010'],
    ...['&#x41;', '&#65;', '&amp;', "'\\''", '\\"'],
  ],
  'scripts/contract/check/requests/': ownRequests,
  'scripts/contract/check/requests/exchange.ts': ['120'],
  'scripts/contract/check/probes/location.ts': ['/a%20b?c'],
  'scripts/contract/check/resources/answer-reader.ts': {
    texts: ['/a/b?c#d', 'http://a/b/'],
    uses: [lastSegmentOf],
  },
  'scripts/contract/check/resources/conditions.ts': contract,
  'scripts/contract/check/resources/next-page.ts': {
    texts: ['<a,b>; c="d,e"; rel="prev next", <f>; rel = next', 'https://a', '/a?b'],
    uses: [nextLinkOf],
  },
  'scripts/contract/check/values/broken-parameter-texts.ts': ownRequests,
  'scripts/contract/check/values/carried-texts.ts': ownRequests,
  'scripts/contract/check/values/parameter-text.ts': ['-120', '-120.34'],
  'scripts/contract/check/verdict/': contract,
  'scripts/contract/diff/': contract,
  'scripts/contract/document/': contract,
  'scripts/contract/kit/command.ts': commandLine,
  'scripts/kit/contract-examples.ts': ownFile,
  'scripts/contract/kit/decimal.ts': ['-12.34e+5'],
  'scripts/kit/haproxy.ts': ownFile,
  'scripts/contract/kit/http/answer.ts': [
    'x, close',
    'HTTP/1.1 200 OK',
    'Content-Type:  a  b  ',
    '123',
    '1f  ; a',
  ],
  'scripts/contract/kit/http/byte-source.ts': ['a\r\n'],
  'scripts/contract/kit/http/connection.ts': ['[::1]', '/a/b/'],
  'scripts/kit/pgbouncer.ts': ownFile,
  'scripts/kit/plants.ts': 'It completes texts of the tests.',
  'scripts/kit/processes.ts': ownFile,
  'scripts/contract/kit/report/markdown.ts': ['``a*_', '<a>'],
  'scripts/contract/kit/report/results.ts': ['a/b.yaml:12:34'],
  'scripts/contract/lint/': contract,
  'scripts/contract/mock/': contract,
  'scripts/contract/mock/examples.ts': ['ab = "c-d", code=404'],
  'scripts/contract/mock/page.ts': ['-120', 'nextUrl', 'uri-reference', 'currentPage', 'current_page'],
  'scripts/contract/mock/readable.ts': ['firstName2 of_it', 'aB'],
  'scripts/contract/resources/': contract,
  'scripts/contract/values/formats.ts': [
    ...['2026-11-27', '12:34:56', '2026-11-27T12:34:56.789+01:00', 'PT1H', 'a@b.c', '1.2.3.4', '12:ab:'],
    ...['http://a', '01234567-0123-0123-0123-0123456789ab'],
  ],
  'scripts/contract/values/json.ts': 'JSON.parse has read the text before, so each string in it has an end.',
  'scripts/contract/values/look-alike.ts': ['a\u200bb c'],
  'scripts/contract/values/pattern-texts.ts': contract,
  'scripts/contract/values/patterns.ts': 'It asks the patterns of a contract under a time limit.',
  'scripts/contract/values/scalars.ts': ['1.2e+34'],
  'scripts/contract/values/valid-values.ts': ownRequests,
  'scripts/kit/server.ts': ownFile,
  'scripts/kit/start-command.ts': ownFile,
  'src/access/fetch-keys.ts': commandLine,
  'src/access/token.ts': { texts: ['ab.cd-e.f_g', 'plant_0aB'], uses: [isToken] },
  'src/api-docs/docs-page.ts': ['a<b>&"\''],
  'src/api-docs/json-document.ts': contract,
  'src/api-docs/representation.ts': ['W/"ab", *'],
  'src/command-line/token-arguments.ts': commandLine,
  'src/contract/document/content.ts': contract,
  'src/schema/excerpt.ts': ['a.yaml:12:34: ab', 'a b', 'a\r'],
  'src/schema/handler-values.ts': contract,
  'src/schema/known-members.ts': contract,
  'src/schema/numbers.ts': contract,
  'src/schema/schema.ts': contract,
  'src/schema/visible.ts': ['a\u0000b', '  ::', '##ab['],
  'src/schema/fault-summary.ts': ['a.yaml:12:34: ab', 'a.b-c: d'],
  'src/contract/document/parameters.ts': ['/a/{id}/{b}', 'X-Ab'],
  'src/schema/json.ts': ['-120', '.12e+34', 'ab"', '00aF'],
  'src/contract/request/body.ts': ['charset  ="utf-8"', 'charset=utf-8'],
  'src/contract/request/parameter-texts.ts': ['/a?b#c', 'a b'],
  'src/contract/request/paths.ts': contract,
  'src/contract/request/text-values.ts': ['-120', '-120.34'],
  'src/contract/route.ts': ['/plants:a/{id}-{b}/c', '/{id}'],
  'src/schema/formats.ts': {
    texts: [
      '2026-11-27',
      '12:34:56.789+01:00',
      '2026-11-27T12:34:56.789Z',
      'P12Y3M4DT5H6M7S',
      'http://a%20b:c@d.e:80/f/g%20?h/i#j/k',
      'http://[::1]/a',
      '//a%20b@c.d/e/f?g#h',
      'ab.cd@e-f.gh',
      '"a b\\"c"@d.e',
      'a@[IPv6:::1]',
      'ab-c.d-e.fg',
      '01234567-0123-0123-0123-0123456789ab',
      'abcdef==',
    ],
    uses: [...stringFormats.values()].map(
      (check) => (text) => (typeof check === 'function' ? check(text) : check.test(text)),
    ),
  },
  'src/embedded-postgres/cluster.ts': ownFile,
  'src/identity/owner.ts': ['ab c'],
  'src/http/address.ts': ['a.b-c:80', '[::1]:80', 'https', '/ab/c.d//'],
  'src/http/connections.ts': ['x, keep-alive', 'x, close'],
  'src/http/error-answers.ts': ['HPE_A'],
  'src/http/header-fields.ts': ['a.b%20c:80', '[::1]:80'],
  'src/log/describe-request.ts': ['/a?b?c', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  'src/log/request-id.ts': ['ab:c'],
  'src/log/terminal.ts': ['a\x01\x02b'],
  'src/postgres/breaking-changes.ts': 'It reads the names of types in PostgreSQL.',
  'src/postgres/sqlstate.ts': 'It reads the five characters of a SQLSTATE.',
  'src/project.ts': commandLine,
  'src/settings.ts': commandLine,
  'src/store/named-failure.ts': 'It reads the names of constraints, which PostgreSQL cuts at 63 bytes.',
  'src/store/new-uuid.ts': 'It reads the 32 digits that it has made.',
  'src/store/start/unstorable-text.ts': contract,
};

for (const file of await filesWithExpressions()) {
  t.test(`${file.name}: its regular expressions take a time in proportion to the text`, async (t) => {
    const reader = readerOf(file.name);
    if (reader === undefined) {
      t.fail('say in `readers` which texts its regular expressions match, or why none comes from outside');
      return;
    }
    if (typeof reader === 'string') {
      t.pass(reader);
      return;
    }
    const { texts, uses = [] } = 'texts' in reader ? reader : { texts: reader };
    if (file.isBuilding) t.not(uses.length, 0, 'what it makes by `new RegExp` has a use in `readers`');
    for (const expression of file.literals) {
      const isMatched = texts.some((text) => text.search(expression) >= 0);
      t.ok(isMatched, `${expression}: give \`readers\` a text that it matches`);
    }
    const ofLiterals = file.literals.map(
      (expression): Use =>
        (text) =>
          text.replace(expression, ''),
    );
    for (const [at, use] of [...ofLiterals, ...uses].entries()) {
      const { begin, ratio } = worstOf(use, textsFrom(texts));
      const name = file.literals[at] ?? `use ${at - ofLiterals.length}`;
      t.ok(ratio < maxGrowth, `${name}: ${ratio.toFixed(1)} times as long for ${growth} times ${begin}`);
    }
  });
}

t.test('a reader whose file or folder is gone is not kept', async (t) => {
  const names = (await filesWithExpressions()).map(({ name }) => name);
  t.strictSame(
    Object.keys(readers).filter((name) => !names.some((file) => file === name || isIn(name, file))),
    [],
  );
});

/** The line of a file comes before that of its folder. */
function readerOf(file: string): (typeof readers)[string] | undefined {
  const folders = Object.keys(readers).filter((name) => isIn(name, file));
  const [nearest = ''] = folders.sort((a, b) => b.length - a.length);
  return readers[file] ?? readers[nearest];
}

function isIn(folder: string, file: string): boolean {
  return folder.endsWith('/') && file.startsWith(folder);
}

interface FileWithExpressions {
  /** Its path in the project, such as `src/log/text.ts`. */
  readonly name: string;
  readonly literals: readonly RegExp[];
  /** Whether it also makes regular expressions of texts. */
  readonly isBuilding: boolean;
}

async function filesWithExpressions(): Promise<FileWithExpressions[]> {
  const folders = ['src', 'scripts/kit', 'scripts/contract'];
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(projectFolder, folder), { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  );
  const files = await Promise.all(
    names
      .flat()
      .filter(
        (name) => name.endsWith('.ts') && !/^scripts\/contract\/(?:faults|test)\/|node_modules/.test(name),
      )
      .map(readFileAt),
  );
  return files.filter(({ literals, isBuilding }) => literals.length > 0 || isBuilding);
}

async function readFileAt(name: string): Promise<FileWithExpressions> {
  const text = await readFile(join(projectFolder, name), 'utf8');
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const literals: RegExp[] = [];
  let isBuilding = false;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push(compiled(node));
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText() === 'RegExp') isBuilding = true;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { name, literals, isBuilding };
}

/** Compiles a literal, with the flag "g" if it splits a text, because it is then looked for all along. */
function compiled({ text, parent }: ts.RegularExpressionLiteral): RegExp {
  const end = text.lastIndexOf('/');
  const splits =
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    parent.expression.name.text === 'split';
  return new RegExp(text.slice(1, end), `${text.slice(end + 1)}${splits ? 'g' : ''}`);
}

/** Makes a text of about so many characters. */
type Make = (length: number) => string;

/** The most characters of a piece that is repeated. */
const maxPiece = 3;

/** Each text of these with one piece repeated, and with something behind it or nothing. */
function textsFrom(texts: readonly string[]): Make[] {
  const ends = ['', '\0', '\n', ...new Set(texts.join('').replaceAll(/[a-z0-9]/gi, ''))];
  return texts.flatMap((text) =>
    Array.from(text).flatMap((_, start) =>
      Array.from({ length: Math.min(maxPiece, text.length - start) }, (_, at) => start + at + 1).flatMap(
        (stop) => {
          const piece = text.slice(start, stop);
          return ends.map(
            (end): Make =>
              (length) =>
                text.slice(0, stop) + piece.repeat(length / piece.length) + text.slice(stop) + end,
          );
        },
      ),
    ),
  );
}

/** How many of the slowest texts are measured again, because a pause of the process may have hit one. */
const finalists = 5;
const bestOf = 5;
const maxTries = 3;

/** @returns how the text begins that takes longest, and how much its time grows with its length */
function worstOf(use: Use, makes: readonly Make[]): { begin: string; ratio: number } {
  const slowest = (candidates: readonly Make[], rounds: number) =>
    candidates
      .map((make) => ({ make, time: bestTime(use, make(searchLength), rounds) }))
      .sort((a, b) => b.time - a.time)
      .map(({ make }) => make);
  const [worst] = slowest(slowest(makes, 1).slice(0, finalists), bestOf);
  if (worst === undefined) throw new Error('there is no text to try');
  // A time that grows with the cube of the length would be hours for the longest text, so shorter ones come
  // first.
  let ratio = 0;
  for (let length = searchLength; length <= longest && ratio < maxGrowth; length *= growth)
    ratio = growthOf(use, worst, length);
  return { begin: JSON.stringify(worst(0)), ratio };
}

/** @returns how much longer a text of this length takes than one that is `growth` times shorter */
function growthOf(use: Use, make: Make, length: number): number {
  const [short, long] = [make(length / growth), make(length)];
  const times = longest / length;
  const ratios: number[] = [];
  // The garbage collector may run in every round with the long text, so a ratio that is too large is looked
  // at again.
  do {
    // The short text is used so many times that a linear use takes as long for both.
    const shortTime = bestTime(use, short, bestOf, times * growth);
    ratios.push((growth * bestTime(use, long, bestOf, times)) / shortTime);
  } while (Math.min(...ratios) >= maxGrowth && ratios.length < maxTries);
  return Math.min(...ratios);
}

/**
 * @param times how often each round uses the text
 * @returns the time of the processor that the shortest round takes, in microseconds. Other programs of a busy
 * machine do not count in it
 */
function bestTime(use: Use, text: string, rounds: number, times = 1): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begin = process.cpuUsage();
    for (let time = 0; time < times; time++) use(text);
    const { user, system } = process.cpuUsage(begin);
    best = Math.min(best, user + system);
  }
  return best;
}
