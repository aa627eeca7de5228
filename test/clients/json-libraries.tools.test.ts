import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../src/project.js';

/**
 * Lets the JSON libraries of other languages read an int64 and write it again, and compares what became of it
 * with the table of docs/clients.md. .ci/tools installs them.
 */

t.setTimeout(300_000);

const inPerl = (module: string) => [
  'perl',
  `-M${module}`,
  '-0777',
  '-ne',
  'print encode_json(decode_json($_))',
];
const inRuby = (library: string, code: string) => ['ruby', `-r${library}`, '-e', code];
const inLua = (library: string) => [
  ...['lua5.4', '-e'],
  `local json = require("${library}") local value = json.decode(io.read("a")) io.write(json.encode(value))`,
];
const inR = (code: string) => [
  'Rscript',
  '-e',
  `text <- readLines(file("stdin"), warn = FALSE); cat(${code})`,
];
const toJson = 'jsonlite::toJSON';

/** By the row's name without its versions: a program that reads `{"id":…}` from stdin, and has the digits in $ID. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  'Perl, JSON::PP': inPerl('JSON::PP'),
  'Perl, Cpanel::JSON::XS': inPerl('Cpanel::JSON::XS'),
  'Perl, JSON::XS': inPerl('JSON::XS'),
  'PHP, json_encode, on 64 bits': ['php', '-r', 'echo json_encode(json_decode(stream_get_contents(STDIN)));'],
  'Ruby, json': inRuby('json', 'puts JSON.generate(JSON.parse($stdin.read))'),
  'Ruby, Oj': inRuby('oj', 'puts Oj.dump(Oj.load($stdin.read), mode: :compat)'),
  'Python, json': [
    '/usr/bin/python3',
    '-c',
    'import json, sys; print(json.dumps(json.load(sys.stdin), separators=(",", ":")))',
  ],
  'Lua, dkjson': inLua('dkjson'),
  'Lua, cjson': inLua('cjson'),
  'R, jsonlite': inR(`${toJson}(jsonlite::fromJSON(text), auto_unbox = TRUE)`),
  'R, jsonlite, `bigint_as_char = TRUE`': inR(
    `${toJson}(jsonlite::fromJSON(text, bigint_as_char = TRUE), auto_unbox = TRUE)`,
  ),
  'R, rjson': inR('rjson::toJSON(rjson::fromJSON(text))'),
  "R, jsonlite, digits as `class = 'json'`": inR(
    `${toJson}(list(id = structure(Sys.getenv("ID"), class = "json")), auto_unbox = TRUE, json_verbatim = TRUE)`,
  ),
  'shell, Miller': ['mlr', '--ijson', '--ojsonl', 'cat'],
  'shell, jq': ['/usr/bin/jq', '-c', '.'],
  "shell, yq (Debian's, around jq)": ['/usr/bin/yq', '-c', '.'],
  'shell, jo': ['sh', '-c', 'jo id="$ID"'],
};

const page = await readFile(join(projectFolder, 'docs', 'clients.md'), 'utf8');
const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
const ids = [9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)];

for (const [name, [program = '', ...parameters]] of Object.entries(libraries)) {
  const write = (id: bigint) =>
    spawnSync(program, parameters, {
      input: `{"id":${id}}`,
      encoding: 'utf8',
      env: { ...process.env, ID: String(id), LC_ALL: 'C.UTF-8' },
    });
  const skip = write(7n).status !== 0 && `this is not installed: ${name}`;

  t.test(`an int64 on its way through a JSON library: ${name}`, { skip }, async (t) => {
    const [, , ...cells] =
      rows.find(([, first = '']) => first.replaceAll(/ [\d.]+(?=,|$| \()/g, '') === name) ?? [];
    const became = ids.map((id) => {
      const [, written = ''] = /"id":\s*(.*?)\s*\}/.exec(write(id).stdout) ?? [];
      return written === String(id) ? 'kept' : `\`${written}\``;
    });
    t.strictSame(cells.slice(0, ids.length), became);
  });
}
