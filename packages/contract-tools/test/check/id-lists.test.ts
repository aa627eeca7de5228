import t, { type Test } from 'tap';
import { isArray, isObject, type Value, type ValueObject } from '../../src/values/json.js';
import { checkServer, textIn } from './json-server.js';

/** That a list of ids does nothing to the items of another owner, and that no other list is sent. */

t.setTimeout(600_000);

const schema = (name: string): string =>
  `{ application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const ids = `ids: { type: array, minItems: 1, maxItems: 9, items: { type: integer } }`;
const yaml = `openapi: 3.1.0
info: { title: Memos, version: "1" }
security: [{ bearer: [] }]
paths:
  /memos:
    post:
      operationId: addMemo
      requestBody: { required: true, content: ${schema('NewMemo')} }
      responses: { "201": { description: Made., content: ${schema('Memo')} }, "400": { description: Refused. } }
    patch:
      operationId: retitleMemos
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [ids, title], properties: { ${ids}, title: { type: string, minLength: 1 } } } } } }
      responses: { "204": { description: Retitled. }, "400": { description: Refused. }, "404": { description: None. } }
  /memos/bulk-delete:
    post:
      operationId: removeMemos
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [ids], properties: { ${ids} } } } } }
      responses: { "204": { description: Gone. }, "400": { description: Refused. }, "404": { description: None. } }
  /memos/merge:
    post:
      operationId: mergeMemos
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [ids, intoId], properties: { ${ids}, intoId: { type: integer } } } } } }
      responses: { "204": { description: Merged. }, "400": { description: Refused. } }
  /memos/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32, minimum: 1 } }]
    get:
      operationId: getMemo
      responses: { "200": { description: One., content: ${schema('Memo')} }, "400": { description: No id. }, "404": { description: None. } }
    delete:
      operationId: removeMemo
      responses: { "204": { description: Gone. }, "400": { description: No id. }, "404": { description: None. } }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    NewMemo: { type: object, required: [title], properties: { title: { type: string, minLength: 1, maxLength: 50 } } }
    Memo: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } } }
`;

/** What is done with an item of another owner that is in a list. */
type Habit = 'left out' | 'whole list refused' | 'deleted' | 'changed';

async function checked(t: Test, habit: Habit) {
  const memos = new Map<string, { readonly owner: string; readonly memo: ValueObject }>();
  // A colleague's memo, which no request of the check may change.
  memos.set('1', { owner: 'colleague', memo: { id: 1n, title: 'mine' } });
  let count = 1;
  const those = (body: Value, caller: string, opens: Habit): string[] | undefined => {
    const list = isObject(body) ? body['ids'] : undefined;
    const asked = list !== undefined && isArray(list) ? list.map(String) : [];
    const mine = asked.filter((id) => memos.get(id)?.owner === caller || (habit === opens && memos.has(id)));
    return habit === 'whole list refused' && mine.length < asked.length ? undefined : mine;
  };
  const done = await checkServer(t, {
    ...{ yaml, rules: ['isolation'] },
    answers: {
      addMemo: ({ body, caller }) => {
        const memo = { id: BigInt(++count), title: textIn(body, 'title') };
        memos.set(String(count), { owner: caller, memo });
        return { status: 201, body: memo };
      },
      retitleMemos: ({ body, caller }) => {
        const found = those(body, caller, 'changed');
        for (const id of found ?? []) {
          const kept = memos.get(id);
          if (kept !== undefined)
            memos.set(id, { ...kept, memo: { ...kept.memo, title: textIn(body, 'title') } });
        }
        return { status: found === undefined ? 404 : 204 };
      },
      removeMemos: ({ body, caller }) => {
        const found = those(body, caller, 'deleted');
        for (const id of found ?? []) memos.delete(id);
        return { status: found === undefined ? 404 : 204 };
      },
      mergeMemos: () => ({ status: 204 }),
      getMemo: ({ id, caller }) => {
        const kept = memos.get(id);
        return kept?.owner === caller ? { status: 200, body: kept.memo } : { status: 404 };
      },
      removeMemo: ({ id, caller }) => {
        if (memos.get(id)?.owner !== caller) return { status: 404 };
        memos.delete(id);
        return { status: 204 };
      },
    },
  });
  return { ...done, left: [...memos.values()].map(({ memo }) => memo) };
}

for (const habit of ['left out', 'whole list refused'] as const) {
  t.test(`a server is passed whose lists leave others alone: ${habit}`, async (t) => {
    const { found, left, notes, answered } = await checked(t, habit);
    t.same(found, []);
    t.same(left, [{ id: 1n, title: 'mine' }], 'the check leaves what it found, and nothing else');
    t.same(
      [...answered.keys()].filter((id) => /Memos$/.test(id)),
      ['retitleMemos', 'removeMemos'],
    );
    t.notMatch(notes, /tells nothing/);
  });
}

const flaws = [
  ['deleted', "removeMemos: another owner's item is deleted by a list of ids"],
  ['changed', "retitleMemos: another owner's item is changed by a list of ids"],
] as const;

for (const [habit, rule] of flaws) {
  t.test(`an item of another owner in a list is ${habit}`, async (t) => {
    t.same((await checked(t, habit)).found, [rule]);
  });
}
