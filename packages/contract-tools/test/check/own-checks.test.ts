import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { projectFolder } from '../../../kit/index.js';
import { type Rules, readRules } from '../../src/check/document/rules.js';
import { isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { checkServer } from './json-server.js';

/** That users can write checks of their own, as the README of the package shows. */

t.setTimeout(600_000);

const schema = (name: string): string =>
  `content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const yaml = `openapi: 3.0.3
info: { title: Invoices, version: "1" }
paths:
  /invoices:
    post:
      operationId: addInvoice
      requestBody: { required: true, ${schema('NewInvoice')} }
      responses:
        "201": { description: Made., ${schema('Invoice')} }
        "400": { description: Refused. }
  /invoices/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getInvoice
      responses: { "200": { description: One., ${schema('Invoice')} }, "400": { description: No id. }, "404": { description: None. } }
    delete:
      operationId: removeInvoice
      responses: { "204": { description: Gone. }, "400": { description: No id. }, "404": { description: None. } }
components:
  schemas:
    NewInvoice:
      type: object
      required: [title, lines]
      properties: &members
        title: { type: string, minLength: 1, maxLength: 50 }
        lines:
          type: array
          minItems: 1
          maxItems: 5
          items: { type: object, required: [cents], properties: { cents: { type: integer, minimum: 1, maximum: 99 } } }
    Invoice:
      type: object
      required: [id, title, lines, total]
      properties: { <<: *members, id: { type: integer }, total: { type: integer } }
`;

const readme = await readFile(join(projectFolder, 'packages', 'contract-tools', 'README.md'), 'utf8');
const [, examples = ''] = /```js\n(.*?OwnCheck.*?)```/s.exec(readme) ?? [];

/** The rules with the checks of a module. */
async function rulesWith(t: Test, module: string, line = 'checks: ./our-checks.mjs'): Promise<Rules> {
  const folder = await mkdtemp(join(tmpdir(), 'own-checks-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'invoices.rules.yaml'), line);
  await writeFile(join(folder, 'our-checks.mjs'), module);
  return readRules(join(folder, 'invoices.yaml'));
}

interface Habits {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether an invoice counts its first line only. */
  readonly isWrong?: boolean;
}

function checked(
  t: Test,
  { checks }: Rules,
  { headers = { 'x-trace': 'one' }, isWrong = false }: Habits,
  choices: Partial<Rules> = {},
) {
  const invoices = new Map<string, ValueObject>();
  const add = (body: Value): ValueObject => {
    const lines = isObject(body) ? Object.values(body['lines'] ?? []) : [];
    const cents = lines.flatMap((line) => (isObject(line) ? BigInt(String(line['cents'])) : []));
    const total = (isWrong ? cents.slice(0, 1) : cents).reduce((sum, one) => sum + one, 0n);
    const id = invoices.size + 1;
    const invoice = { ...(isObject(body) ? body : {}), id: BigInt(id), total };
    invoices.set(String(id), invoice);
    return invoice;
  };
  return checkServer(t, {
    ...{ yaml, headers, rules: [], choices: { checks, ...choices } },
    answers: {
      addInvoice: ({ body }) => ({ status: 201, body: add(body) }),
      getInvoice: ({ id }) => {
        const body = invoices.get(id);
        return body === undefined ? { status: 404 } : { status: 200, body };
      },
      removeInvoice: ({ id }) => ({ status: invoices.delete(id) ? 204 : 404 }),
    },
  });
}

t.test('the checks of the README find what they are for, and nothing at a right server', async (t) => {
  const rules = await rulesWith(t, examples);
  t.same((await checked(t, rules, {})).found, []);
  t.same((await checked(t, rules, { isWrong: true })).found, ['addInvoice: total is the sum of the lines']);
  const { report } = await checked(t, rules, { headers: {} });
  t.match(report.findings, [{ rule: 'every answer has x trace', did: 'there is no X-Trace' }]);
  t.same(report.findings[0]?.operations.toSorted(), ['addInvoice', 'getInvoice', 'removeInvoice']);
});

t.test('a finding of such a check is accepted as any other one', async (t) => {
  const rules = await rulesWith(t, examples);
  const { report } = await checked(t, rules, { isWrong: true });
  const accept = report.findings.map(({ id, operation, pointer, rule: what }) => ({
    ...{ id, operation, pointer, members: [''], what, place: 'accepted.yaml, entry 1' },
  }));
  t.match(accept, [{ id: 'total-is-the-sum-of-the-lines', pointer: '#' }]);
  t.same((await checked(t, rules, { isWrong: true }, { accept })).found, []);
});

t.test('a module that cannot be loaded, and a check that fails, are named', async (t) => {
  const rows = [
    ['', 'checks: ./others.mjs', /others\.mjs, the checks of .*invoices\.rules\.yaml, cannot be loaded/],
    ['', undefined, /our-checks\.mjs, .*\(it exports nothing/],
    ['export const one = 1;', undefined, /\(it exports "one", which is not a function/],
    ['', 'checks: [./our-checks.mjs]', /"checks" is the path of a module/],
  ] as const;
  for (const [module, line, message] of rows) await t.rejects(rulesWith(t, module, line), { message });
  const failing = await rulesWith(t, 'export function mine(operation, request, answer) { answer.body.a.b; }');
  const untyped = await rulesWith(t, 'export const mine = () => 7;');
  await t.rejects(checked(t, untyped, {}), {
    message: /^The check "mine" of .* returned a number at .*: return a sentence/,
  });
  const silent = await rulesWith(t, "export const mine = () => false && 'a sentence';");
  t.same((await checked(t, silent, {})).found, [], 'false is no sentence');
  await t.rejects(checked(t, failing, {}), { message: /^The check "mine" of .* failed at .*: mend it\.$/ });
});
