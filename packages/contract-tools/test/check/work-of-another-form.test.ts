import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { type Answered, checkAnswers } from './answering-server.js';

/** That right servers whose work looks otherwise than ours are not blamed. */

// Each run takes part of a second on an idle machine, and some seconds if the work does not end.
t.setTimeout(600_000);

const tried = { rules: ['pending-work', 'isolation'], title: 'ends the work that it has begun' };
const head = `openapi: 3.0.3
info: { title: Work, version: "1" }
paths:
`;

/** A schema of an object with members that are texts. */
const texts = (...names: string[]): string =>
  `{ type: object, required: [${names[0]}], properties: { ${names.map((name) => `${name}: { type: string }`).join(', ')} } }`;

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;

const getOf = (
  path: string,
  operationId: string,
  parameter: string,
  schema: string,
  further = '',
): string => `
  ${path}/{${parameter}}:
    get:
      operationId: ${operationId}
      parameters: [{ name: ${parameter}, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: It is there., ${json(schema)} }
        "401": { description: Who is it?, headers: { WWW-Authenticate: { schema: { type: string } } } }
        "404": { description: It is not there. }
${further}`;

const postOf = (path: string, operationId: string, status: number, schema: string): string => `
  ${path}:
    post:
      operationId: ${operationId}
      ${/\{(\w+)\}/.test(path) ? `parameters: [{ name: ${/\{(\w+)\}/.exec(path)?.[1]}, in: path, required: true, schema: { type: string } }]` : ''}
      ${status === 201 ? `requestBody: { required: true, ${json(texts('name'))} }` : ''}
      responses:
        "${status}": { description: Taken., ${json(schema)}, headers: { Location: { schema: { type: string } } } }
        "400": { description: Refused. }
        "401": { description: Who is it?, headers: { WWW-Authenticate: { schema: { type: string } } } }
        "404": { description: It is not there. }
`;

const notThere: Answered = [404];

t.test('check:contract takes the absence of an item as the end of its DELETE', async (t) => {
  const server = texts('serverId', 'name', 'status');
  const deletion = `
    delete:
      operationId: deleteServer
      parameters: [{ name: serverId, in: path, required: true, schema: { type: string } }]
      responses:
        "202": { description: It goes., ${json(server)}, headers: { Location: { schema: { type: string } } } }
        "401": { description: Who is it?, headers: { WWW-Authenticate: { schema: { type: string } } } }
        "404": { description: It is not there. }
`;
  const create = head + postOf('/servers', 'createServer', 201, server);
  const whole = create + getOf('/servers', 'getServer', 'serverId', server, deletion);
  const forms = {
    'with its id': { yaml: whole, hasLocation: false },
    'with a Location': { yaml: whole, hasLocation: true },
    'with a Location and no GET': { yaml: `${create}\n  /servers/{serverId}:${deletion}`, hasLocation: true },
  };
  for (const [form, { yaml, hasLocation }] of Object.entries(forms)) {
    const servers = new Map<string, { name: unknown; looks: number; isGoing: boolean }>();
    const { found } = await checkAnswers(t, {
      yaml,
      ...tried,
      answer({ method, path: [, serverId = ''], body }) {
        if (method === 'POST') {
          const { name } = body;
          if (typeof name !== 'string') return [400];
          const id = `s${servers.size}`;
          servers.set(id, { name, looks: 0, isGoing: false });
          return [201, { serverId: id, name, status: 'running' }, { location: `/servers/${id}` }];
        }
        const one = servers.get(serverId);
        if (one === undefined || (one.isGoing && (yaml !== whole || one.looks++ > 1))) return notThere;
        const { name } = one;
        if (method === 'GET') return [200, { serverId, name, status: one.isGoing ? 'stopped' : 'running' }];
        one.isGoing = true;
        const headers: Record<string, string> = hasLocation ? { location: `/servers/${serverId}` } : {};
        return [202, { serverId, name, status: 'stopped' }, headers];
      },
    });
    t.same(found, [], form);
  }
});

t.test('check:contract follows what a request has begun, and not what it names', async (t) => {
  const order = texts('orderId', 'name', 'status');
  const refund = texts('refundId', 'orderId', 'state');
  const yaml =
    head +
    postOf('/orders', 'createOrder', 201, order) +
    getOf('/orders', 'getOrder', 'orderId', order) +
    postOf('/orders/{orderId}/refunds', 'refundOrder', 202, refund) +
    getOf('/refunds', 'getRefund', 'refundId', refund);
  const run = (hasLocation: boolean) => {
    const orders = new Map<string, { name: unknown; looks: number }>();
    const refunds = new Map<string, { orderId: string; looks: number }>();
    return checkAnswers(t, {
      yaml,
      ...tried,
      answer({ method, path: [kind, id = '', action], body }) {
        if (method === 'POST' && action === undefined) {
          const { name } = body;
          if (typeof name !== 'string') return [400];
          const orderId = `o${orders.size}`;
          orders.set(orderId, { name, looks: 0 });
          return [201, { orderId, name, status: 'closed' }, { location: `/orders/${orderId}` }];
        }
        const order = orders.get(id);
        if (order !== undefined && method === 'GET') {
          const isRefunded = [...refunds.values()].some(({ orderId }) => orderId === id);
          const status = isRefunded && order.looks++ > 0 ? 'refunded' : 'closed';
          return [200, { orderId: id, name: order.name, status }];
        }
        if (order !== undefined) {
          const refundId = `r${refunds.size}`;
          refunds.set(refundId, { orderId: id, looks: 0 });
          const begun = { refundId, orderId: id, state: 'queued' };
          return hasLocation ? [202, begun, { location: `/orders/${id}` }] : [202, begun];
        }
        const refund = kind === 'refunds' ? refunds.get(id) : undefined;
        if (refund === undefined) return notThere;
        const state = refund.looks++ > 1 ? 'done' : 'running';
        return [200, { refundId: id, orderId: refund.orderId, state }];
      },
    });
  };
  const { found, unreached } = await run(false);
  t.same(found, []);
  t.same(unreached, [], 'the refund was seen');
  t.same((await run(true)).found, [], 'a Location that leads to what was there before');
});

interface Look {
  readonly status?: number;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The words that an answer to a look has, as some systems write them. */
const lookDocument = `${head}${postOf('/tasks', 'beginTask', 202, '{ type: object, required: [taskId] }')}
  /tasks/{taskId}:
    get:
      operationId: getTask
      parameters: [{ name: taskId, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: How far., ${json('{ type: object, required: [taskId] }')} }
        "404": { description: There is none. }
        "429": { description: Too often. }
`;

async function checkLooks(scope: Scope, lookAt: (look: number) => Look) {
  const looks = new Map<string, number>();
  return checkAnswers(scope, {
    yaml: lookDocument,
    ...tried,
    answer({ method, path: [, taskId = ''] }) {
      if (method === 'POST') {
        const id = `t${looks.size}`;
        looks.set(id, 0);
        return [202, { taskId: id }, { location: `/tasks/${id}` }];
      }
      const look = looks.get(taskId);
      if (look === undefined) return notThere;
      looks.set(taskId, look + 1);
      const { status = 200, body } = lookAt(look);
      return status === 200 ? [200, { taskId, ...body }] : [status];
    },
  });
}

const rightLooks: Readonly<Record<string, (look: number) => Look>> = {
  'a documented 429 when the work is over': (look) =>
    look % 2 === 0 ? { body: { state: 'done' } } : { status: 429 },
  'work that runs and is called active': (look) => ({ body: { state: look < 2 ? 'active' : 'done' } }),
  'work that waits and is called ready': (look) => ({
    body: { state: ['available', 'ready', 'running'][look] ?? 'done' },
  }),
  'a status of the request beside that of the work': (look) => ({
    body: { status: 'success', data: { state: look < 2 ? 'running' : 'done' } },
  }),
};

for (const [form, lookAt] of Object.entries(rightLooks)) {
  t.test(`check:contract does not blame ${form}`, async (t) => {
    t.same((await checkLooks(t, lookAt)).found, []);
  });
}

t.test('check:contract tells once that a look failed after the end of the work', async (t) => {
  const { found } = await checkLooks(t, (look) =>
    look === 0 ? { body: { state: 'done' } } : { status: 500 },
  );
  t.same(found, ['getTask: status 500 is not documented']);
});

t.test('check:contract finds work that goes on although the request has a status of its own', async (t) => {
  const { found } = await checkLooks(t, (look) => ({
    body: { status: 'success', data: { state: look === 1 ? 'done' : 'running' } },
  }));
  t.same(found, ['getTask: work that is over goes on']);
});

t.test('check:contract does not judge a video that is not there until it is made', async (t) => {
  const video = texts('videoId', 'status');
  const { found, notes } = await checkAnswers(t, {
    yaml: head + postOf('/videos', 'makeVideo', 202, video) + getOf('/videos', 'getVideo', 'videoId', video),
    ...tried,
    answer: ({ method }) =>
      method === 'POST' ? [202, { videoId: 'v1' }, { location: '/videos/v1' }] : notThere,
  });
  t.same(found, []);
  t.match(notes.join('\n'), /makeVideo answered 202/);
});

t.test('check:contract tells what work has made from what everybody may see', async (t) => {
  const task = texts('taskId', 'state', 'currency', 'invoice');
  const yaml = `${head}${postOf('/tasks', 'beginTask', 202, task)}${getOf(
    '/currencies',
    'getCurrency',
    'currency',
    texts('currency'),
  )}${getOf('/tasks', 'getTask', 'taskId', task)}${getOf('/invoices', 'getInvoice', 'invoiceId', texts('invoiceId'))}
security: [{ token: [] }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
`;
  const forms = [
    'with its currency',
    'without a Location',
    'without a currency',
    'with its Location only',
  ] as const;
  const run = (begun: (typeof forms)[number], isOpen: boolean) => {
    const tasks = new Map<string, { owner: string; looks: number }>();
    return checkAnswers(t, {
      yaml,
      ...tried,
      answer({ method, path: [kind = '', id = ''], owner }) {
        if (owner === undefined) return [401];
        if (method === 'POST' && kind === 'tasks') {
          const taskId = `t${tasks.size}`;
          tasks.set(taskId, { owner, looks: 0 });
          const place = { location: `/tasks/${taskId}` };
          if (begun === 'with its Location only') return [202, { taskId: '' }, place];
          const body = { taskId, state: 'queued' };
          if (begun === 'without a currency') return [202, body, place];
          return [202, { ...body, currency: 'EUR' }, begun === 'without a Location' ? {} : place];
        }
        if (kind === 'currencies' && id === 'EUR') return [200, { currency: id }];
        const task = tasks.get(kind === 'invoices' ? id.replace('i', 't') : id);
        if (task === undefined || method !== 'GET') return notThere;
        if (kind === 'invoices' && (isOpen || task.owner === owner)) return [200, { invoiceId: id }];
        if (task.owner !== owner) return notThere;
        const isDone = task.looks++ > 1;
        const invoice = isDone ? { invoice: `/invoices/${id.replace('t', 'i')}`, currency: 'EUR' } : {};
        return [200, { taskId: id, state: isDone ? 'done' : 'running', ...invoice }];
      },
    });
  };
  for (const begun of forms) t.same((await run(begun, false)).found, [], `a 202 ${begun}`);
  t.same((await run('with its currency', true)).found, [
    "getInvoice: what another owner's work has made is shown",
  ]);
});
