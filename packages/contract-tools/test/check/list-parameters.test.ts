import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { type Answered, checkServer } from './json-server.js';

/** That a list with filters may hide tickets, leave out values and refuse others. */

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const ticket =
  '{ content: { application/json: { schema: { $ref: "#/components/schemas/Ticket" } } }, description: It. }';
const yaml = `openapi: 3.0.3
info: { title: Tickets, version: "1" }
paths:
  /tickets:
    post:
      operationId: addTicket
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewTicket" } } } }
      responses: { "201": ${ticket}, "400": { description: It does not fit. } }
    get:
      operationId: listTickets
      parameters:
        - { name: state, in: query, schema: { $ref: "#/components/schemas/State" } }
        - { name: isUrgent, in: query, schema: { type: boolean } }
        - { name: votes, in: query, schema: { type: integer, format: int32, minimum: 0 } }
        - { name: project, in: query, schema: { type: string, format: uuid } }
      responses:
        "200":
          description: Those that fit.
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Ticket" } } } }
        "400": { description: It does not fit. }
        "422": { description: Nobody has such a project. }
  /tickets/{ticketId}:
    parameters: [{ name: ticketId, in: path, required: true, schema: { type: string, pattern: "^t[0-9]+$" } }]
    get:
      operationId: getTicket
      responses: { "200": ${ticket}, "400": { description: No. }, "404": { description: There is none. } }
    patch:
      operationId: changeTicket
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [state], properties: { state: { $ref: "#/components/schemas/State" } } }
      responses: { "200": ${ticket}, "400": { description: No. }, "404": { description: There is none. } }
    delete:
      operationId: removeTicket
      responses: { "204": { description: Gone. }, "400": { description: No. }, "404": { description: There is none. } }
components:
  schemas:
    State: { type: string, enum: [open, closed] }
    NewTicket:
      type: object
      required: [title]
      properties:
        title: { type: string, maxLength: 60 }
        isUrgent: { type: boolean }
        votes: { type: integer, format: int32, minimum: 0 }
        project: { type: string, format: uuid }
    Ticket:
      type: object
      required: [ticketId, title]
      properties:
        ticketId: { type: string }
        title: { type: string }
        state: { $ref: "#/components/schemas/State" }
        isUrgent: { type: boolean }
        votes: { type: integer, format: int32 }
        project: { type: string }
`;

interface Habits {
  /** How answers show a ticket. */
  readonly show?: (ticket: ValueObject) => ValueObject;
  /** Whether a list without a filter by state shows a ticket. */
  readonly isShown?: (ticket: ValueObject) => boolean;
  /** The answer to a filter that lets nothing through. */
  readonly none?: Answered;
  /** Whether the server fails for this value of a filter by votes. */
  readonly failsFor?: (votes: string) => boolean;
  /** Whether a filter is looked at. */
  readonly filters?: (name: string) => boolean;
}

async function checkTickets(
  scope: Scope,
  {
    show = (one) => one,
    isShown = () => true,
    none = { status: 200, body: [] },
    failsFor = () => false,
    filters = () => true,
  }: Habits,
) {
  const tickets = new Map<string, ValueObject>();
  let made = 0;
  const answered = (one: ValueObject | undefined): Answered =>
    one === undefined ? { status: 404 } : { status: 200, body: show(one) };
  const keep = (one: ValueObject): ValueObject => {
    tickets.set(String(one['ticketId']), one);
    return one;
  };
  return checkServer(scope, {
    ...{ yaml, rules: ['filters'] },
    answers: {
      addTicket({ body }) {
        const usual = { state: 'open', isUrgent: false, votes: 0n };
        const one = keep({ ...usual, ...(isObject(body) && body), ticketId: `t${made++}` });
        return { status: 201, body: show(one) };
      },
      listTickets({ query }) {
        if (failsFor(query.get('votes') ?? '')) return { status: 500 };
        const asked = [...query].filter(([name]) => filters(name));
        const found = [...tickets.values()]
          .filter((one) => query.has('state') || isShown(one))
          .filter((one) =>
            asked.every(([name, text]) => String(one[name]).toLowerCase() === text.toLowerCase()),
          );
        return found.length === 0 && asked.length > 0
          ? none
          : { status: 200, body: found.map((one): Value => show(one)) };
      },
      getTicket: ({ id }) => answered(tickets.get(id)),
      changeTicket({ id, body }) {
        const one = tickets.get(id);
        return answered(one && keep({ ...one, ...(isObject(body) && body) }));
      },
      removeTicket: ({ id }) => ({ status: tickets.delete(id) ? 204 : 404 }),
    },
  });
}

/** Leaves out what is as usual, as encoders of Protocol Buffers do. */
const withoutUsual = (one: ValueObject): ValueObject =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== 'open'));

const right: Readonly<Record<string, Habits>> = {
  'hides closed tickets unless somebody asks for them': { isShown: ({ state }) => state === 'open' },
  'leaves out a state that is as usual': { show: withoutUsual },
  'answers 422 to what nobody has': { none: { status: 422 } },
};

for (const [does, habits] of Object.entries(right)) {
  t.test(`check:contract finds nothing in a list that ${does}`, async (t) => {
    t.same((await checkTickets(t, habits)).found, []);
  });
}

const wrong: Readonly<Record<string, readonly [Habits, string]>> = {
  'ignores the filter by state, which only an update changes': [
    { filters: (name) => name !== 'state' },
    'listTickets: the filter is not what it should be',
  ],
  'fails for some number that no ticket has': [
    { failsFor: (votes) => /^1[0-9]{6}$/.test(votes) },
    'listTickets: status 500 is not documented',
  ],
};

for (const [does, [habits, finding]] of Object.entries(wrong)) {
  t.test(`check:contract finds a list that ${does}`, async (t) => {
    t.same((await checkTickets(t, habits)).found, [finding]);
  });
}
