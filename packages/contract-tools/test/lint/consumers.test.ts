import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { inProcess } from '../../../kit/testing.js';
import { readDocument } from '../../src/document/read-document.js';
import { consumerNames, trapWarnings } from '../../src/lint/consumers.js';
import { lintCommand } from '../../src/lint/lint-command.js';
import { traps } from '../../src/lint/traps.js';
import { yamlTraps } from '../../src/lint/yaml-traps.js';

const everybody = new Set(consumerNames);

/** A document with one schema, on a line of its own. */
const withSchema = (schema: string): string => `openapi: 3.0.3
info: { title: Plants, version: 1.0.0 }
paths: {}
components:
  schemas:
    Plant: ${schema}
`;

/** A document whose one operation has these responses. */
const withResponses = (responses: string): string => `openapi: 3.0.3
info: { title: Plants, version: 1.0.0 }
paths:
  /plants:
    delete:
      responses: ${responses}
`;

const body = (schema: string, type = 'application/json'): string =>
  `{ description: d, content: { ${type}: { schema: ${schema} } } }`;

/** Documents that show a trap, and the same without it. */
const shown: Readonly<Record<string, readonly (readonly [shows: string, not: string])[]>> = {
  int64: [
    [
      withSchema('{ type: integer, format: int64 }'),
      withSchema('{ type: integer, format: int64, minimum: 0, maximum: 9007199254740991 }'),
    ],
    [
      withSchema('{ type: integer, format: int64, minimum: 0, maximum: 9007199254740993 }'),
      withSchema('{ type: integer, format: int32 }'),
    ],
  ],
  'large-bound': [
    [
      withSchema('{ type: integer, minimum: -9223372036854775808 }'),
      withSchema('{ type: integer, minimum: -9007199254740991 }'),
    ],
  ],
  'date-time': [
    [withSchema('{ type: string, format: date-time }'), withSchema('{ type: string, example: date-time }')],
  ],
  date: [[withSchema('{ type: string, format: date }'), withSchema('{ type: string, format: time }')]],
  'required-in-all-of': [
    [
      withSchema('{ allOf: [{ properties: { a: {} } }, { required: [a] }] }'),
      withSchema('{ allOf: [{ properties: { a: {} } }, { required: [a], properties: { a: {} } }] }'),
    ],
  ],
  default: [
    [
      withSchema('{ properties: { a: { type: string, default: b } } }'),
      withSchema('{ required: [a], properties: { a: { type: string, default: b } } }'),
    ],
    [
      withSchema('{ properties: { default: { type: string, default: b } } }'),
      withSchema('{ properties: { default: { type: string } } }'),
    ],
  ],
  'no-content': [
    [withResponses("{ '204': { description: d } }"), withResponses(`{ '200': ${body('{ type: string }')} }`)],
  ],
  'nullable-one-of': [
    [
      withSchema('{ nullable: true, oneOf: [{ type: string }] }'),
      withSchema('{ oneOf: [{ type: string, nullable: true }] }'),
    ],
  ],
  'several-errors': [
    [
      withResponses(`{ '400': ${body('{ type: string }')}, default: ${body('{ type: object }')} }`),
      withResponses(`{ '200': ${body('{ type: string }')}, default: ${body('{ type: object }')} }`),
    ],
  ],
  'problem-json': [
    [
      withResponses(`{ '400': ${body('{ type: object }', 'application/problem+json')} }`),
      withResponses(`{ '400': ${body('{ type: object }')} }`),
    ],
  ],
};

const warningsIn = (text: string, consumers: ReadonlySet<string>) =>
  trapWarnings(readDocument(text, 'a.yaml'), consumers);

const rulesIn = (text: string, consumers: ReadonlySet<string> = everybody): string[] =>
  warningsIn(text, consumers).map(({ rule }) => rule);

for (const { id, placesIn, seen } of traps) {
  t.test(`lint warns of the trap ${id} where a document shows it`, async (t) => {
    t.equal(placesIn === undefined, shown[id] === undefined, 'each trap that a document can show has a case');
    const rule = `contract/trap-${id}`;
    for (const [shows, not] of shown[id] ?? []) {
      t.ok(rulesIn(shows).includes(rule), shows);
      t.notOk(rulesIn(not).includes(rule), not);
      const harmless = seen.filter(({ isHarmless }) => isHarmless).flatMap(({ tools }) => Object.keys(tools));
      const others = new Set(
        seen.filter(({ isHarmless }) => !isHarmless).flatMap(({ tools }) => Object.keys(tools)),
      );
      for (const name of harmless.filter((one) => !others.has(one)))
        t.notOk(rulesIn(shows, new Set([name])).includes(rule), `${name} is not hurt`);
    }
  });
}

t.test('lint warns of texts that readers of YAML 1.1 read otherwise, and not of quoted ones', async (t) => {
  for (const { written, read } of yamlTraps) {
    const isHarmful = read.psych !== read.yaml;
    const warned = isHarmful ? ['contract/trap-yaml'] : [];
    t.strictSame(rulesIn(withSchema(`{ example: ${written} }`), new Set(['psych'])), warned, written);
    t.strictSame(rulesIn(withSchema(`{ example: "${written}" }`), new Set(['psych'])), [], written);
  }
  t.strictSame(rulesIn(withSchema('{ properties: { on: {} } }'), new Set(['pyyaml'])), [
    'contract/trap-yaml',
  ]);
});

t.test('lint warns of a text that begins with a date only if readers of YAML 1.1 read a date', async (t) => {
  const warned = (written: string) =>
    rulesIn(withSchema(`{ example: ${written} }`), new Set(['pyyaml', 'psych'])).length === 1;
  // PyYAML 6.0.3 and Psych 4.0.3 have read each of them.
  for (const date of [
    ...['2026-11-27', '2026-11-27T10:00:00Z', '2026-11-27t10:00:00', '2026-11-27 10:00:00'],
    ...['2026-11-27 10:00:00.5 +2', '2026-11-27  10:00:00-05:30', '2026-1-7 1:00:00'],
  ])
    t.ok(warned(date), date);
  for (const text of [
    ...['2026-11-27 was the first day.', '2026-11-27Two', '2026-11-27T10:00', '2026-11-27 10'],
    ...['2026-11-27 10:00:00 was late', 'on 2026-11-27'],
  ])
    t.notOk(warned(text), text);
});

t.test('a warning names the first place, counts the others, and needs a consumer that is hurt', async (t) => {
  const text = `${withSchema('{ type: integer, format: int64 }')}    Pot: { type: integer, format: int64 }\n`;
  t.match(warningsIn(text, new Set(['prism'])), [
    { line: 6, column: 12, severity: 'warning', message: /^prism 5\.16: .*\(and 1 more\)$/ },
  ]);
  t.strictSame(warningsIn(text, new Set(['swagger-client'])), []);
  t.strictSame(warningsIn(text, new Set()), []);
});

function lint(t: Test, rules: string) {
  const folder = t.testdir({
    'a.yaml': withSchema('{ type: integer, format: int64 }'),
    'a.rules.yaml': rules,
  });
  const caller = {
    command: 'lint-contract',
    contract: undefined,
    rules: 'no rules',
    async lint(file: string) {
      return {
        problems: [],
        document: readDocument(await readFile(file, 'utf8'), file),
        notes: [],
        otherFaults: undefined,
      };
    },
  };
  return inProcess(t, () => lintCommand([join(folder, 'a.yaml')], caller));
}

t.test('the command warns, and exits 0, for consumers that the rules file names', async (t) => {
  const { code, out, err } = await lint(t, 'isolation: off\nconsumers: [prism]\n');
  t.strictSame([code, err], [0, '']);
  t.match(out, /a\.yaml:6:12 warning contract\/trap-int64 prism 5\.16: .+\n\S+a\.yaml keeps every rule\.\n$/);
  t.notMatch((await lint(t, 'isolation: off\n')).out, 'warning');
});

t.test(
  'the command exits 2 for a consumer that it does not know, and lists those that it knows',
  async (t) => {
    for (const rules of [
      'consumers: [prisn]\n',
      'consumers: prism\n',
      'consumers: [7]\n',
      'consumers: {}\n',
    ]) {
      const { code, out, err } = await lint(t, rules);
      t.strictSame([code, out], [2, ''], rules);
      t.match(err, /a\.rules\.yaml(:\d+:\d+)?: /);
    }
    // A line that neither the check nor lint knows, and files that are not maps of lines.
    for (const [rules, place] of [
      ['isolation: off\nconsumer: [prism]\n', '2:11: "consumer" is not a rule: did you mean consumers '],
      ['- consumers\n', '1:1: a file of rules is a map'],
      ['consumers\n', '1:1: a file of rules is a map'],
      ['consumers: [prism\n', '2:1: '],
    ] as const) {
      const { code, out, err } = await lint(t, rules);
      t.strictSame([code, out], [2, ''], rules);
      t.ok(err.includes(`a.rules.yaml:${place}`), err);
      t.notMatch(err, /^ +at /m, 'shows no stack');
    }
    t.match((await lint(t, 'consumers: [prisn]\n')).err, /"prisn".+prism.+hey-api/s);
  },
);
