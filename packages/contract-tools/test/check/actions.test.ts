import t, { type Test } from 'tap';
import { isRefusedAgain, isRefusedIn, statesAfter } from '../../src/check/probes/refused-states.js';
import { isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { type Answered, checkServer } from './json-server.js';

/** That actions on an item are called on new items and after each other, and what they answer is compared with a GET. */

t.setTimeout(600_000);

const order = `content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } }`;
const action = (
  name: string,
  { says = '', conflict = 'The state of the order does not allow it, so that a second approval is refused.' },
): string => `
  /orders/{id}/${name}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    post:
      operationId: ${name}
      description: "${says}"
      responses: { "200": { description: It., ${order} }, "400": { description: No id. }, "404": { description: None. }, "409": { description: "${conflict}" } }`;
const yaml = `openapi: 3.0.3
info: { title: Orders, version: "1" }
security: [{ bearer: [] }]
paths:
  /orders:
    post:
      operationId: addOrder
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewOrder' } } } }
      responses: { "201": { description: Made., ${order} }, "400": { description: Refused. } }
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getOrder
      responses: { "200": { description: One., ${order} }, "400": { description: No id. }, "404": { description: None. } }
    delete:
      operationId: removeOrder
      responses: { "204": { description: Gone. }, "400": { description: No id. }, "404": { description: None. } }
${action('pay', { conflict: 'The order is already paid, or not open.' })}
${action('ship', { conflict: 'Only paid orders can be shipped.' })}
${action('cancel', { says: 'Takes an `open` or `paid` order to `cancelled`. An order in any other state answers 409.' })}
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    NewOrder: { type: object, required: [title], properties: { title: { type: string, minLength: 1, maxLength: 50 } } }
    Order:
      type: object
      required: [id, title, state]
      properties:
        id: { type: integer }
        title: { type: string }
        state: { type: string, enum: [open, processing, paid, shipped, cancelled, lost] }
        looks: { type: integer }
`;

/** In which states an action is allowed, and the state after it. */
const steps: Readonly<Record<string, readonly [from: readonly string[], to: string]>> = {
  pay: [['open'], 'paid'],
  ship: [['paid'], 'shipped'],
  cancel: [['open', 'paid'], 'cancelled'],
  approve: [['paid'], 'lost'],
};

interface Kept {
  readonly owner: string;
  readonly version: number;
  readonly order: ValueObject;
}

interface Habits {
  /** Whether an action is allowed in a state; by default as documented. */
  readonly allows?: (name: string, state: Value) => boolean;
  /** The order that an action keeps, and the one that it answers; by default the same. */
  readonly keeps?: (before: ValueObject, after: ValueObject) => ValueObject;
  readonly answers?: (before: ValueObject, after: ValueObject) => ValueObject;
  readonly tag?: (kept: Kept) => string;
  /** The state in which the next GET shows an order. */
  readonly movesOn?: (state: Value) => Value;
  /** What another owner is answered, and whether it is done. */
  readonly toOthers?: (name: string) => { readonly status: number; readonly isDone: boolean };
  /** Further actions of the document. */
  readonly others?: readonly string[];
}

async function checked(
  t: Test,
  {
    allows = (name, state) => steps[name]?.[0].includes(String(state)) === true,
    keeps = (_, after) => after,
    answers = (_, after) => after,
    tag = ({ version }) => `"${version}"`,
    movesOn = (state) => state,
    toOthers = () => ({ status: 404, isDone: false }),
    others = [],
  }: Habits,
) {
  const orders = new Map<string, Kept>();
  let count = 0;
  const act =
    (name: string) =>
    ({ id, caller }: { readonly id: string; readonly caller: string }): Answered => {
      const kept = orders.get(id);
      if (kept === undefined) return { status: 404 };
      const { status, isDone } = kept.owner === caller ? { status: 200, isDone: true } : toOthers(name);
      if (isDone && !allows(name, kept.order['state'] ?? null)) return { status: 409 };
      const after = { ...kept.order, state: steps[name]?.[1] ?? null };
      const version = kept.version + 1;
      if (isDone) orders.set(id, { ...kept, version, order: keeps(kept.order, after) });
      return status === 200 ? { status, body: answers(kept.order, after) } : { status };
    };
  return checkServer(t, {
    yaml: yaml.replace('components:', `${others.map((name) => action(name, {})).join('')}\ncomponents:`),
    rules: ['actions', 'conditions', 'isolation'],
    answers: {
      addOrder: ({ body, caller }) => {
        const order = { ...(isObject(body) ? body : {}), id: BigInt(++count), state: 'open', looks: 0n };
        orders.set(String(count), { owner: caller, version: 1, order });
        return { status: 201, body: order };
      },
      getOrder: ({ id, caller }) => {
        const kept = orders.get(id);
        if (kept?.owner !== caller) return { status: 404 };
        const { looks = 0n, state = null } = kept.order;
        // Counting the looks at an order changes what it shows, and not its tag.
        const order = { ...kept.order, looks: BigInt(String(looks)) + 1n, state: movesOn(state) };
        orders.set(id, { ...kept, order });
        return { status: 200, body: order, headers: { etag: tag(kept) } };
      },
      removeOrder: ({ id, caller }) => {
        if (orders.get(id)?.owner !== caller) return { status: 404 };
        orders.delete(id);
        return { status: 204 };
      },
      ...Object.fromEntries(['pay', 'ship', 'cancel', ...others].map((name) => [name, act(name)])),
    },
  });
}

const right: Readonly<Record<string, Habits>> = {
  'does what it says': {},
  'begins what it gives up at once': {
    keeps: (before) => before,
    answers: (_, after) => ({ ...after, state: 'processing' }),
  },
  'moves a paid order on by itself': { movesOn: (state) => (state === 'paid' ? 'shipped' : state) },
};

for (const [does, habits] of Object.entries(right)) {
  t.test(`check:contract finds nothing in a server whose action ${does}`, async (t) => {
    const { found, unreached, notes } = await checked(t, habits);
    t.same(found, []);
    if (Object.keys(habits).length === 0) {
      t.same(unreached, [], 'an action is reached by another one');
      t.match(notes, /the second owner tried .*pay \(POST\), ship \(POST\), cancel \(POST\)/);
    }
  });
}

t.test('check:contract names the actions that it does not compare, because there are many', async (t) => {
  const others = ['pack', 'weigh', 'label', 'insure', 'hold', 'release'];
  const { notes } = await checked(t, { allows: () => false, others });
  t.match(notes, 'Actions of /orders/{id}: release were not compared, because there are more than 8.');
});

const wrong: Readonly<Record<string, readonly [Habits, readonly string[]]>> = {
  'answers a change that it does not keep': [
    { keeps: (before) => before },
    ['pay', 'cancel'].map((name) => `${name}: the answer of an action is not what a GET shows`),
  ],
  'answers the order as it was': [
    { answers: (before) => before },
    ['pay', 'ship', 'cancel'].map((name) => `${name}: the answer of an action is not what a GET shows`),
  ],
  'keeps the tag': [{ tag: () => '"1"' }, ['pay: the tag stays when an action changes the content']],
  'pays a second time': [
    {
      allows: (name, state) =>
        steps[name]?.[0].includes(String(state)) === true || (name === 'pay' && state === 'paid'),
    },
    ['pay: an action succeeds in a state in which it is refused'],
  ],
  'ships what nobody has paid': [
    {
      allows: (name, state) =>
        steps[name]?.[0].includes(String(state)) === true || (name === 'ship' && state === 'open'),
    },
    ['ship: an action succeeds in a state in which it is refused'],
  ],
  'cancels after it was shipped': [
    { allows: (name, state) => steps[name]?.[0].includes(String(state)) === true || name === 'cancel' },
    ['cancel: an action succeeds in a state in which it is refused'],
  ],
  'approves a second time': [
    {
      others: ['approve'],
      allows: (name, state) =>
        steps[name]?.[0].includes(String(state)) === true || (name === 'approve' && state === 'lost'),
    },
    ['approve: an action succeeds in a state in which it is refused'],
  ],
  'takes a paid order back to open': [
    {
      keeps: ({ state }, after) =>
        state === 'paid' && after['state'] === 'cancelled' ? { ...after, state: 'open' } : after,
      answers: ({ state }, after) =>
        state === 'paid' && after['state'] === 'cancelled' ? { ...after, state: 'open' } : after,
    },
    ['cancel: an action ends in another state than it says'],
  ],
  'is done for another owner': [
    { toOthers: (name) => ({ status: name === 'cancel' ? 200 : 404, isDone: name === 'cancel' }) },
    ["cancel: another owner's item is reached by a path below it"],
  ],
  'is done for another owner after another action': [
    { toOthers: (name) => ({ status: name === 'ship' ? 200 : 404, isDone: name === 'ship' }) },
    ["ship: another owner's item is reached by a path below it"],
  ],
  'refuses another owner, and is done': [
    { toOthers: (name) => ({ status: 404, isDone: name === 'pay' }) },
    ["pay: another owner's item is changed"],
  ],
};

for (const [does, [habits, findings]] of Object.entries(wrong)) {
  t.test(`check:contract finds an action that ${does}`, async (t) => {
    t.same((await checked(t, habits)).found.toSorted(), findings.toSorted());
  });
}

const all = ['draft', 'in_review', 'published', 'archived'];
const sentences: readonly (readonly [sentence: string, refusedIn: readonly string[]])[] = [
  ['The page is already published.', ['published']],
  ['It has already been archived or published.', ['published', 'archived']],
  ["The page isn't a draft.", ['in_review', 'published', 'archived']],
  ['Only a draft can be published.', ['in_review', 'published', 'archived']],
  ['The page is not published.', ['draft']],
  ['Takes a `draft` page to `in_review`; 409 otherwise.', ['in_review', 'published', 'archived']],
  ['Takes a page from draft to published. A page that is in review answers 409.', []],
  ['A section is not published.', []],
  ['The page has not been published.', []],
  ['The title is taken.', []],
  ['The page is `published` or `archived` already (`wrong_state`).', ['published', 'archived']],
  ['The page is in a folder that is archived already.', []],
  ['No published page is left.', []],
  ['The page is no draft (`wrong_state`).', ['in_review', 'published', 'archived']],
  ['Only one published page can exist below a section.', []],
  ['A page that is already published answers 409.', ['published']],
  ['Somebody else has already published a page there.', []],
  ['The author already has a published page.', []],
  ['A page has already been published at that address.', []],
  ['The page is not archived once it has been published.', []],
  ['', []],
];

t.test('the sentence of an action says in which states it ends, or nothing', async (t) => {
  const ends: readonly (readonly [sentence: string, states: readonly string[]])[] = [
    ['Takes a `draft` page to `in_review`, and sets `reviewed_at`.', ['in_review']],
    [
      'Moves the page to published or, if nobody reads it, to archived. A draft stays.',
      ['published', 'archived'],
    ],
    ['Marks the page as published.', ['published']],
    ['Moves the page to another folder. It must be published.', []],
    ['Sets the title, and takes a photo of the draft.', []],
    ['', []],
  ];
  for (const [sentence, states] of ends) t.same(statesAfter(sentence, all), states, sentence);
});

t.test('the sentence of a 409 says that an action is refused a second time, or nothing', async (t) => {
  t.ok(isRefusedAgain('The page is not in review (so a second publication is refused, too).'));
  t.ok(isRefusedAgain('The second call is answered 409.'));
  t.notOk(isRefusedAgain('A second page with this title is refused by the folder.'));
  t.notOk(isRefusedAgain('The page is not in review.'));
});

t.test('the sentence of a 409 says in which states an action is refused, or nothing', async (t) => {
  for (const [sentence, refusedIn] of sentences) {
    const found = all.filter((now) => isRefusedIn(sentence, 'page', { now, atFirst: 'draft', all }));
    t.same(found, refusedIn, sentence);
  }
});
