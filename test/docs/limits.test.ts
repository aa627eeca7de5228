/** The numbers in the table of docs/limits.md are those of the code, and so are its messages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import {
  backlog,
  defaultLimits,
  defaultTimeouts,
  lingeringLimits,
  maxHeaders,
  maxLists,
  maxLookups,
  maxUnanswered,
  overloads,
  readSettings,
} from '../../packages/service/layer.js';

const settings = readSettings({});
const count = (number: number) => number.toLocaleString('en');
const seconds = (ms: number) => `${ms / 1_000} s`;
const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;

const rows: readonly (readonly [row: string, numbers: readonly string[]])[] = [
  ['requests in flight', [count(settings.maxRequestsInFlight)]],
  ['statements that wait', [`${defaultLimits.connections} connections`]],
  ['statements that wait', [`for ${seconds(defaultLimits.connect)}`]],
  ['time for the database', [seconds(defaultLimits.statement)]],
  ['lists of more than', [`${maxLists.all};`, `an owner ${maxLists.owner},`]],
  ['access tokens that are being checked', [`${maxLookups} that are looked up`]],
  ["a request's header", [`${maxHeaders} lines`]],
  [
    'time for a request to arrive',
    [`${seconds(defaultTimeouts.headerMs)} for its header`, `${seconds(defaultTimeouts.requestMs)} for all`],
  ],
  [
    'time of a connection between two requests',
    [seconds(defaultTimeouts.idleMs), seconds(defaultTimeouts.silenceMs)],
  ],
  ['open connections', [count(settings.maxConnections)]],
  ['connections that wait to be accepted', [count(backlog)]],
  ['unanswered requests of a connection', [`${maxUnanswered}:`]],
  ['what is read and dropped', [mebibytes(lingeringLimits.maxBytes), seconds(lingeringLimits.maxMs)]],
];

for (const [row, numbers] of rows) {
  t.test(`docs/limits.md, "${row}": ${numbers.join(' and ')}`, async (t) => {
    const text = await readFile(join(projectFolder, 'docs', 'limits.md'), 'utf8');
    const [line] = text.split('\n').filter((one) => one.startsWith(`| ${row}`));
    for (const number of numbers)
      t.ok(line?.includes(number), `The code says ${number}, and the page says: ${line}`);
  });
}

t.test('docs/limits.md has a row for the message of each overload, with its reason', async (t) => {
  const lines = (await readFile(join(projectFolder, 'docs', 'limits.md'), 'utf8')).split('\n');
  for (const [reason, message] of Object.entries(overloads)) {
    const line = lines.find((one) => one.startsWith(`| \`${message}\` |`));
    t.ok(line?.includes(`\`overload: ${reason}\``), `The reason "${reason}" of "${message}": ${line}`);
  }
});
