import t, { type Test } from 'tap';
import { isArray, isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { checkServer } from './json-server.js';

/** That lists are asked by filters as people write them: of several values, of references, by comparison, on each page. */

t.setTimeout(600_000);

const of = (schema: string): string =>
  `{ description: It., content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } } }`;
const takes = (schema: string): string =>
  `{ required: true, content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } } }`;
const refusals = `"400": { description: Refused. }, "404": { description: None. }`;
const yaml = `openapi: 3.0.3
info: { title: Tasks, version: "1" }
security: [{ bearer: [] }]
paths:
  /projects:
    post:
      operationId: addProject
      requestBody: ${takes('NewProject')}
      responses: { "201": ${of('Project')}, "400": { description: Refused. } }
  /projects/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, pattern: '^p[0-9]{1,9}$' } }]
    get: { operationId: getProject, responses: { "200": ${of('Project')}, ${refusals} } }
    delete: { operationId: removeProject, responses: { "204": { description: Gone. }, ${refusals} } }
  /tasks:
    post:
      operationId: addTask
      requestBody: ${takes('NewTask')}
      responses: { "201": ${of('Task')}, "400": { description: Refused. }, "422": { description: There is no such project. } }
    get:
      operationId: listTasks
      parameters:
        - { name: kind, in: query, schema: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Kind' } } }
        - { name: colour, in: query, explode: false, schema: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Colour' } } }
        - { name: state, in: query, schema: { type: string, enum: [open, done, any], default: open } }
        - { name: project_id, in: query, schema: { type: string } }
        - { name: due_after, in: query, schema: { type: string, format: date } }
        - { name: due_before, in: query, schema: { type: string, format: date } }
        - { name: done_after, in: query, description: 'Only tasks that were done later than this, not one done at this very moment.', schema: { type: string, format: date-time } }
        - { name: 'starts[gt]', in: query, schema: { type: string, format: date-time } }
        - { name: votes_gte, in: query, schema: { type: integer, minimum: 0, maximum: 1000 } }
        - { name: votes, in: query, style: deepObject, schema: { type: object, properties: { lt: { type: integer, minimum: 0, maximum: 1000 } } } }
        - { name: labels, in: query, style: deepObject, schema: { type: object, additionalProperties: { type: string, minLength: 1, maxLength: 50 } } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: offset, in: query, schema: { type: integer, minimum: 0, maximum: 1000000 } }
      responses:
        "200":
          description: Some.
          headers: { Link: { schema: { type: string } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Task' } } } }
        "400": { description: Refused. }
  /tasks/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, pattern: '^t[0-9]{1,9}$' } }]
    get: { operationId: getTask, responses: { "200": ${of('Task')}, ${refusals} } }
    delete: { operationId: removeTask, responses: { "204": { description: Gone. }, ${refusals} } }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    Kind: { type: string, enum: [bug, wish, question] }
    Colour: { type: string, enum: [red, green, blue] }
    NewProject: { type: object, required: [name], properties: { name: { type: string, minLength: 1, maxLength: 50 } } }
    Project: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }
    NewTask:
      type: object
      required: [title, project_id]
      properties: &members
        title: { type: string, minLength: 1, maxLength: 50 }
        project_id: { type: string, pattern: '^p[0-9]{1,9}$' }
        kind: { $ref: '#/components/schemas/Kind' }
        colour: { $ref: '#/components/schemas/Colour' }
        state: { type: string, enum: [open, done] }
        due: { type: string, format: date }
        starts_at: { type: string, format: date-time }
        done_at: { type: string, format: date-time, nullable: true }
        votes: { type: integer, minimum: 0, maximum: 1000 }
        labels: { type: object, additionalProperties: { type: string, minLength: 1, maxLength: 50 } }
    Task: { type: object, required: [id, title], properties: { <<: *members, id: { type: string } } }
`;

type Asked = Readonly<Record<string, readonly string[]>>;
type Filters = Readonly<Record<string, (task: ValueObject, texts: readonly string[]) => boolean>>;

const time = (value: Value | undefined): number => Date.parse(String(value));
const documented: Filters = {
  kind: ({ kind }, texts) => texts.includes(String(kind)),
  colour: ({ colour }, texts) => texts.join().split(',').includes(String(colour)),
  state: ({ state }, [text = '']) => text === 'any' || state === text,
  project_id: ({ project_id: project }, texts) => texts.includes(String(project)),
  due_after: ({ due }, [text]) => time(due) >= time(text),
  due_before: ({ due }, [text]) => time(due) < time(text),
  done_after: ({ done_at: done }, [text]) => time(done) > time(text),
  'starts[gt]': ({ starts_at: start }, [text]) => time(start) > time(text),
  votes_gte: ({ votes }, [text]) => Number(votes) >= Number(text),
  'votes[lt]': ({ votes }, [text]) => Number(votes) < Number(text),
  'labels[a]': ({ labels }, [text]) => isObject(labels) && labels['a'] === text,
};

interface Habits {
  readonly filters?: Partial<Filters>;
  /** The query of the link to the next page. */
  readonly next?: (asked: Asked) => Asked;
  /** The state that is asked for if nobody does. */
  readonly usualState?: string;
  /** The filter with which the list shows the tasks of all owners. */
  readonly leaksWith?: string;
}

async function checked(
  t: Test,
  { filters = {}, next = (asked) => asked, usualState = 'open', leaksWith }: Habits,
) {
  const [projects, tasks] = [new Map<string, Value>(), new Map<string, ValueObject>()];
  const ownerOf = new Map<string, string>();
  const isOwn = (id: string, caller: string): boolean => ownerOf.get(id) === caller;
  const objectOf = (body: Value): ValueObject => (isObject(body) && !isArray(body) ? body : {});
  const shown = (one: Value | undefined) =>
    one === undefined ? { status: 404 } : { status: 200, body: one };
  let count = 0;
  return checkServer(t, {
    ...{ yaml, rules: ['filters', 'isolation', 'pages'] },
    answers: {
      addProject: ({ body, caller }) => {
        const project = { ...objectOf(body), id: `p${++count}` };
        projects.set(project.id, project);
        ownerOf.set(project.id, caller);
        return { status: 201, body: project };
      },
      getProject: ({ id, caller }) => shown(isOwn(id, caller) ? projects.get(id) : undefined),
      removeProject: ({ id, caller }) => ({ status: isOwn(id, caller) && projects.delete(id) ? 204 : 404 }),
      addTask: ({ body, caller }) => {
        const task = { state: 'open', done_at: null, ...objectOf(body), id: `t${++count}` };
        const project = String(task['project_id' as keyof typeof task]);
        if (!projects.has(project) || !isOwn(project, caller)) return { status: 422 };
        tasks.set(task.id, task);
        ownerOf.set(task.id, caller);
        return { status: 201, body: task };
      },
      getTask: ({ id, caller }) => shown(isOwn(id, caller) ? tasks.get(id) : undefined),
      removeTask: ({ id, caller }) => ({ status: isOwn(id, caller) && tasks.delete(id) ? 204 : 404 }),
      listTasks: ({ query, caller }) => {
        const asked: Asked = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
        const all = Object.entries({ state: [usualState], ...asked });
        const isOpen = leaksWith !== undefined && query.has(leaksWith);
        const seen = [...tasks].filter(([id]) => isOpen || isOwn(id, caller)).map(([, task]) => task);
        const fitting = seen.filter((task) =>
          all.every(([name, texts]) => (filters[name] ?? documented[name])?.(task, texts) ?? true),
        );
        const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
        const further = new URLSearchParams();
        const linked = { ...next(asked), limit: [String(limit)], offset: [String(offset + limit)] };
        for (const [name, texts] of Object.entries(linked))
          for (const text of texts) further.append(name, text);
        const isLast = offset + limit >= fitting.length;
        return {
          status: 200,
          body: fitting.slice(offset, offset + limit),
          headers: isLast ? {} : { link: `</tasks?${further}>; rel="next"` },
        };
      },
    },
  });
}

t.test(
  'check:contract finds nothing in a list whose filters do what their names say, and tries all of them',
  async (t) => {
    const { found, notes } = await checked(t, {});
    t.same(found, []);
    t.notMatch(notes, /of listTasks (?:do was not judged|was not tried)/);
    t.same(
      (await checked(t, { filters: { due_after: ({ due }, [text]) => time(due) > time(text) } })).found,
      [],
      'nobody knows whether "after" leaves out an equal value',
    );
  },
);

const isAny = (): boolean => true;
const wrong: Readonly<Record<string, Habits>> = {
  ...Object.fromEntries(
    Object.keys(documented).map((name) => [`ignores ${name}`, { filters: { [name]: isAny } }] as const),
  ),
  'looks at the first of several values only': {
    filters: { kind: ({ kind }, [text]) => kind === text },
  },
  'takes several values between commas for one': {
    filters: { colour: ({ colour }, texts) => texts.includes(String(colour)) },
  },
  'takes "at least" for "more than"': {
    filters: { votes_gte: ({ votes }, [text]) => Number(votes) > Number(text) },
  },
  'shows what was done at the very moment after which it is asked for': {
    filters: { done_after: ({ done_at: done }, [text]) => time(done) >= time(text) },
  },
  'takes what was never done for done': {
    filters: { done_after: ({ done_at: done }, [text]) => !done || time(done) > time(text) },
  },
  'takes "before" for "after"': { filters: { due_before: ({ due }, [text]) => time(due) > time(text) } },
  'shows all states by default': { usualState: 'any' },
  'hides what is done for good': { filters: { state: ({ state }) => state === 'open' } },
};

for (const [does, habits] of Object.entries(wrong)) {
  t.test(`check:contract finds a list that ${does}`, async (t) => {
    const { found } = await checked(t, habits);
    t.same([...new Set(found)], ['listTasks: the filter is not what it should be']);
  });
}

t.test('check:contract finds a list that leaves out the filter in the link to the next page', async (t) => {
  const { found } = await checked(t, { next: ({ kind: _, colour: __, ...asked }) => asked });
  // If the next page happens to be the same one, that is found first.
  const rules = ['the filter is not what it should be', 'the pages turn in a circle'];
  t.ok(found.length > 0 && found.every((one) => rules.some((rule) => one === `listTasks: ${rule}`)), '', {
    found,
  });
});

t.test('check:contract finds a list that shows the items of all owners once it filters', async (t) => {
  const { found } = await checked(t, { leaksWith: 'project_id' });
  t.same(found, [], 'an item of another owner has no project of this one');
  t.same((await checked(t, { leaksWith: 'state' })).found, [
    "listTasks: the list shows another owner's item",
  ]);
});
