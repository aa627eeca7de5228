import t from 'tap';
import type { Report } from '../../src/check/verdict/report.js';
import { Decimal, isArray, isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { checkStore } from './plain-store.js';

/** Answers that show what was sent in another form, as the document says. */

// Each run takes a second on an idle machine.
t.setTimeout(600_000);

const paths = `openapi: 3.0.3
info: { title: Issues, version: 1.0.0 }
paths:
  /issues/{id}:
    get:
      operationId: getIssue
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }]
      responses:
        '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Issue' } } } }
        '400': { description: No number. }
        '404': { description: None. }
  /issues:
    get:
      operationId: listIssues
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Listed' } } } } }
    post:
      operationId: createIssue
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Draft' } } } }
      responses:
        '201': { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/Issue' } } } }
        '400': { description: Refused. }
components:
  schemas:
`;

const contradicting = `${paths}    Draft:
      type: object
      required: [title]
      properties:
        title: { type: string, minLength: 1, maxLength: 60 }
        labels: { type: array, maxItems: 3, items: { type: string, enum: [bug, idea] } }
        owner: { type: integer, minimum: 1, maximum: 1000 }
        assignee: { type: integer, minimum: 1, maximum: 1000 }
        price: { type: integer, minimum: 0, maximum: 1000 }
        sizes: { type: array, maxItems: 3, items: { type: integer, minimum: 0, maximum: 9 } }
        place:
          type: object
          required: [town]
          properties:
            town: { type: string, maxLength: 30 }
            country: { type: string, enum: [NL, DE] }
        note: { type: string, nullable: true, maxLength: 20 }
        weight: { type: number, format: float, minimum: 0.1 }
    Issue:
      type: object
      required: [id, title]
      properties:
        id: { type: integer, format: int32 }
        title: { type: string }
        labels: { type: array, items: { type: object, required: [name], properties: { name: { type: string } } } }
        owner: { $ref: '#/components/schemas/Person' }
        assignee: { oneOf: [{ type: integer }, { $ref: '#/components/schemas/Person' }] }
        price: { type: string }
        sizes: { type: array, items: { type: string } }
        place:
          type: object
          properties:
            town: { type: string }
            country: { type: object, properties: { code: { type: string } } }
            isKnown: { type: boolean }
        note: { type: string, nullable: true }
        weight: { type: number, format: float }
    Person: { type: object, required: [id], properties: { id: { type: integer } } }
    Listed:
      type: object
      required: [id]
      properties:
        id: { type: string }
        title: { type: object, properties: { text: { type: string } } }
`;

const without = (object: ValueObject, name: string): ValueObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

const numberOf = (value: Value): number => Number(value instanceof Decimal ? value.text : value);

/** Shows what was sent as the document has it: some members in another form. */
const otherForms: Readonly<Record<string, (value: Value) => Value>> = {
  labels: (labels) => (isArray(labels) ? labels.map((name) => ({ name })) : labels),
  owner: (id) => ({ id }),
  assignee: (id) => ({ id }),
  price: String,
  sizes: (sizes) => (isArray(sizes) ? sizes.map(String) : sizes),
  place: (place) => {
    if (!isObject(place)) return place;
    const { country } = place;
    return { ...place, isKnown: false, ...(country !== undefined && { country: { code: country } }) };
  },
  weight: (weight) => new Decimal(Math.fround(numberOf(weight)).toExponential()),
};

function inOtherForm(item: ValueObject): ValueObject {
  // A nullable member that is null may as well be absent.
  const present = item['note'] === null ? without(item, 'note') : item;
  return Object.fromEntries(
    Object.entries(present).map(([name, value]) => [name, otherForms[name]?.(value) ?? value]),
  );
}

const found = ({ findings }: Report): string[] =>
  findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);

const store = {
  yaml: contradicting,
  show: inOtherForm,
  listed: ({ id = null, title = null }: ValueObject) => ({ id: String(id), title: { text: title } }),
};

t.test('check:contract does not compare what the document shows in another form', async (t) => {
  const report = await checkStore(t, store);
  t.same(found(report), []);
  const notes = report.notes.join('\n');
  for (const place of ['labels', 'owner', 'assignee', 'price', 'sizes', 'place/country'])
    for (const operation of ['createIssue', 'getIssue'])
      t.match(notes, `"${place}" of ${operation} was not compared`);
  for (const place of ['title', 'note', 'weight', 'place', 'place/town', 'place/isKnown'])
    t.notMatch(notes, `"${place}" of getIssue`, 'what is shown as it was sent is compared');
});

t.test('check:contract goes on comparing what stands beside it', async (t) => {
  for (const [name, break_] of [
    ['title', () => 'another'],
    ['note', () => null],
    ['weight', (value: Value) => new Decimal(String(numberOf(value) * 1.001))],
    ['place', (value: Value) => ({ ...(isObject(value) && value), town: 'Elsewhere' })],
  ] as const) {
    const report = await checkStore(t, {
      ...store,
      show(item) {
        const shown = inOtherForm(item);
        const value = shown[name];
        return value === undefined ? shown : { ...shown, [name]: break_(value) };
      },
    });
    t.match(found(report).join('\n'), /createIssue: the answer is not what was sent/, name);
  }
});

t.test('check:contract does not look for items where neither ids nor texts can be read', async (t) => {
  const yaml = contradicting.replace('id: { type: string }', 'id: { type: object }');
  t.not(yaml, contradicting);
  const listed = (item: ValueObject): ValueObject => ({ ...store.listed(item), id: {} });
  t.same(found(await checkStore(t, { ...store, yaml, listed })), []);
});

const accepting = paths
  .replace(
    /'201'.+$/m,
    "'202': { description: Soon., content: { application/json: { schema: { $ref: '#/components/schemas/Job' } } } }",
  )
  .concat(`    Draft: { type: object, required: [title], properties: { title: { type: string, maxLength: 60 } } }
    Issue: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } } }
    Listed: { $ref: '#/components/schemas/Issue' }
    Job: { type: object, properties: { id: { type: integer, format: int32 }, state: { type: string } } }
`);

t.test('check:contract notes that an answer does not tell an id that it need not tell', async (t) => {
  const store = { yaml: accepting, show: (item: ValueObject) => item };
  const body = { state: 'waiting' };
  const report = await checkStore(t, { ...store, created: () => ({ status: 202, body }) });
  t.same(found(report), []);
  t.match(report.notes.join('\n'), 'createIssue answered 202 without the id');
  const required = accepting.replace('Job: { type: object,', 'Job: { type: object, required: [id],');
  const promised = await checkStore(t, {
    ...{ ...store, yaml: required },
    created: () => ({ status: 202, body }),
  });
  t.match(found(promised).join('\n'), 'createIssue: body does not fit: required');
});

t.test('check:contract lets a rule say that a body of another media type is taken', async (t) => {
  const yaml = accepting.replace("'202'", "'201'").replace('schemas/Job', 'schemas/Issue');
  const lenient = { yaml, show: (item: ValueObject) => item, mediaTypes: /json|text\/plain/i };
  t.same(found(await checkStore(t, lenient)), []);
  const { findings } = await checkStore(t, { ...lenient, rules: ['media-types'] });
  t.match(findings, [{ operation: 'createIssue', by: 'media-types', says: /\(rule media-types\)$/ }]);
});
