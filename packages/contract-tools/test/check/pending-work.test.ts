import { createServer } from 'node:http';
import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { readDocument } from '../../src/document/read-document.js';

/** That work which a 202 has begun is followed, whatever says where it is seen (RFC 9110, section 15.3.3). */

// Each run takes part of a second on an idle machine, and some seconds if the work does not end.
t.setTimeout(600_000);

/**
 * @param links further members of the 202
 * @param security of all operations
 */
const yamlOf = (links = '', security = '[]'): string => `openapi: 3.0.3
info: { title: Reports, version: "1" }
security: ${security}
paths:
  /reports:
    post:
      operationId: beginReport
      responses:
        "202":
          description: It has begun.
          headers: { Location: { schema: { type: string } }, Retry-After: { schema: { type: integer } } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Task" } } }
          ${links}
  /tasks/{taskId}:
    get:
      operationId: getTask
      parameters: [{ name: taskId, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: How far., content: { application/json: { schema: { $ref: "#/components/schemas/Task" } } } }
        "404": { description: There is none. }
  /files/{name}:
    get:
      operationId: getFile
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: The report., content: { application/json: { schema: { type: object, required: [rows] } } } }
        "404": { description: There is none. }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Task:
      type: object
      required: [taskId]
      properties:
        taskId: { type: string }
        state: { type: string, enum: [WAITING, IN_PROGRESS, COMPLETED] }
        file: { type: string }
`;

interface Habits {
  readonly links?: string;
  /** The Location of the 202 for a task; absent, it has none. */
  readonly location?: (task: string) => string;
  /** The state of a task at its n-th look, counted from 0. */
  readonly state?: (look: number) => string;
  /** The status that the second owner gets for a task of the first; absent, nobody needs a key. */
  readonly denial?: number;
  /** Whether the file that a finished task links to is there. */
  readonly hasFile?: boolean;
}

const usualState = (look: number): string =>
  look === 0 ? 'WAITING' : look < 3 ? 'IN_PROGRESS' : 'COMPLETED';

async function checkReports(scope: Scope, habits: Habits) {
  const { links, location, state = usualState, denial, hasFile = true } = habits;
  const looks = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    request.resume();
    const send = (status: number, body: unknown, headers = {}): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
    const task = /^\/tasks\/(.+)$/.exec(url)?.[1];
    const look = looks.get(task ?? '');
    const key = request.headers['x-key'];
    if (denial !== undefined && key !== 'ann-key' && key !== 'bob-key') response.writeHead(401).end();
    else if (denial !== undefined && look !== undefined && key === 'bob-key') {
      response.writeHead(denial).end();
    } else if (method === 'POST' && url === '/reports') {
      const taskId = `t${looks.size}`;
      looks.set(taskId, 0);
      send(
        202,
        { taskId, state: state(0) },
        { 'retry-after': '0', ...(location && { location: location(taskId) }) },
      );
    } else if (method === 'GET' && task !== undefined && look !== undefined) {
      looks.set(task, look + 1);
      const word = state(look);
      send(200, { taskId: task, state: word, ...(word === 'COMPLETED' && { file: '/files/a' }) });
    } else if (method === 'GET' && url === '/files/a' && hasFile) send(200, { rows: 3 });
    else response.writeHead(404).end();
  });
  const url = new URL(await serveIn(scope, server));
  const report = await check({
    document: readDocument(yamlOf(links, denial === undefined ? '[]' : '[{ key: [] }]'), 'reports.yaml'),
    rules: { on: new Set(['isolation', 'pending-work']), file: undefined },
    token: { text: 'ann-key', shell: '$ANN' },
    otherToken: { text: 'bob-key', shell: '$BOB' },
    ...{ url, seed: 1, cases: 1 },
  });
  return { ...report, rules: report.findings.map(({ operation, rule }) => `${operation}: ${rule}`) };
}

const link = 'links: { task: { operationId: getTask, parameters: { taskId: "$response.body#/taskId" } } }';

const places = {
  'its Location': { location: (task: string) => `/tasks/${task}` },
  'an OpenAPI link': { links: link },
  'an id with the name of a path parameter': {},
};

for (const [place, habits] of Object.entries(places)) {
  t.test(`check:contract follows work to its end and its results by ${place}`, async (t) => {
    const { rules, unreached } = await checkReports(t, habits);
    t.same(rules, []);
    t.same(unreached, [], 'the task and the file were shown');
  });
}

t.test('check:contract names work that does not end, and judges nothing of it', async (t) => {
  const { rules, notes } = await checkReports(t, { state: () => 'IN_PROGRESS' });
  t.same(rules, []);
  t.match(notes.join('\n'), /beginReport did not end within some seconds.*"IN_PROGRESS"/);
});

const faults: Readonly<Record<string, readonly [Habits, string]>> = {
  'a state on the way that the document does not have': [
    { state: (look) => (look === 1 ? 'PAUSED' : usualState(look)) },
    'getTask: body/state does not fit: enum',
  ],
  'work that goes on after its end': [
    { state: (look) => (look === 2 ? 'COMPLETED' : 'IN_PROGRESS') },
    'getTask: work that is over goes on',
  ],
  'a Location that leads nowhere': [
    { location: (task) => `/reports/tasks/${task}` },
    'beginReport: work that has begun is not to be seen',
  ],
  'a result that is not there': [{ hasFile: false }, 'getTask: what the work has made is not there'],
};

t.test('check:contract takes any refusal of the second owner, and finds a failure', async (t) => {
  t.same((await checkReports(t, { denial: 403, hasFile: true })).rules.filter(isOfTask), []);
  t.same((await checkReports(t, { denial: 500, hasFile: true })).rules.filter(isOfTask), [
    'getTask: status 500 is not documented',
  ]);
});

function isOfTask(rule: string): boolean {
  return rule.startsWith('getTask');
}

for (const [fault, [habits, finding]] of Object.entries(faults)) {
  t.test(`check:contract finds ${fault}`, async (t) => {
    t.same((await checkReports(t, habits)).rules, [finding]);
  });
}
