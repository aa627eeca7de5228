import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { isObject, type Value } from '../../src/values/json.js';
import { checkServer } from './json-server.js';

/** That a server is not blamed for what HTTP and its document leave to it, though few do it. */

t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Tasks, version: 1.0.0 }
paths:
  /tasks:
    post:
      operationId: createTask
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
      responses:
        '201': { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
        '400': { description: Refused. }
    get:
      operationId: listTasks
      parameters: [{ name: room, in: query, schema: { type: integer, minimum: 1, maximum: 900 } }]
      responses:
        '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Task' } } } } }
        '400': { description: Refused. }
        '404': { description: Nobody knows the room. }
  /tasks/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getTask
      responses:
        '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
        '400': { description: Refused. }
        '404': { description: None. }
    delete:
      operationId: removeTask
      responses: { '202': { description: It will go. }, '400': { description: Refused. }, '404': { description: None. } }
components:
  schemas:
    Task:
      type: object
      required: [id, text]
      properties:
        id: { type: string, readOnly: true }
        text: { type: string, maxLength: 200 }
        room: { type: integer, minimum: 1, maximum: 900 }
`;

/** @param delay the number of requests after which a task that was removed is gone */
async function foundAt(scope: Scope, delay: number, losesFilter = false): Promise<string[]> {
  const tasks = new Map<string, { readonly task: Value; goesAt?: number }>();
  let requests = 0;
  const present = (): [string, Value][] => {
    requests++;
    for (const [id, { goesAt = Number.POSITIVE_INFINITY }] of tasks) if (goesAt <= requests) tasks.delete(id);
    return Array.from(tasks, ([id, { task }]) => [id, task]);
  };
  const roomOf = (task: Value): string => (isObject(task) ? String(task['room']) : '');
  const { found } = await checkServer(scope, {
    yaml,
    rules: ['deletes-once', 'filters', 'totals', 'isolation', 'updates'],
    answers: {
      createTask: ({ body }) => {
        const task = { ...(isObject(body) ? body : {}), id: `t${requests++}` };
        tasks.set(task.id, { task });
        return { status: 201, body: task };
      },
      listTasks: ({ query }) => {
        const all = present().map(([, task]) => task);
        const room = query.get('room');
        if (room === null || losesFilter) return { status: 200, body: all };
        const there = all.filter((task) => roomOf(task) === room);
        return there.length === 0 ? { status: 404 } : { status: 200, body: there };
      },
      getTask: ({ id }) => {
        const [, task] = present().find(([one]) => one === id) ?? [];
        return task === undefined ? { status: 404 } : { status: 200, body: task };
      },
      removeTask: ({ id }) => {
        requests++;
        const known = tasks.get(id);
        if (known !== undefined) known.goesAt ??= requests + delay;
        return { status: 202 };
      },
    },
  });
  return found;
}

t.test(
  'a DELETE that is answered 202 and carried out later is right, and so is a 404 for a room',
  async (t) => {
    t.same(await foundAt(t, 40), []);
  },
);

t.test('a filter that is ignored is found beside that', async (t) => {
  t.ok((await foundAt(t, 0, true)).includes('listTasks: the filter is not what it should be'));
});
