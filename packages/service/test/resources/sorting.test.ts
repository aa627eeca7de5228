import { serveResources } from '../support/resources.js';

/** A list that is sorted by a member, in pages that begin after an item, whatever becomes of that item. */

const forEachResource = await serveResources();
/** These tests know the members of a bed: its name, by which its list is sorted, and its garden. */
const isSorted = ({ id }: { readonly id: string }) => id === 'listBeds';

interface Item {
  readonly id: number;
  readonly name: string;
}

const itemsIn = (body: unknown): Item[] => (Array.isArray(body) ? body : []);
const idsIn = (body: unknown): string =>
  itemsIn(body)
    .map(({ id }) => id)
    .join();

function compare(one: Item, other: Item): number {
  return Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)) || one.id - other.id;
}

/** Every delimiter of a page, so that its page is read again. */
const delimiters = Array.from({ length: 31 }, (_, code) => String.fromCodePoint(code + 1)).join('');
/** Names that another collation than that of code points sorts in another way, or takes for equal. */
const names = ['a', 'B', 'ä', 'Z', 'z', 'z z', 'zz', '-z', 'é', 'é', '\u{1f33f}', '￿', delimiters];

/** Gives some items the names above, and many of them the same name. */
const rename = `UPDATE beds SET name = CASE WHEN id % 3 = 0 THEN 'the same'
  ELSE ($2::text[])[1 + id % ${names.length}] || CASE WHEN id % 2 = 0 THEN '' ELSE id::text END END WHERE owner = $1`;

forEachResource(
  'a list is sorted in both directions, in pages of any size, and each item comes once',
  async (t, { path, query, newOwner, insertMany }) => {
    const [owner, neighbour] = [await newOwner(), await newOwner()];
    const count = 2_500;
    await insertMany(owner, count);
    await insertMany(neighbour, 10);
    await query(rename, [owner.name, names]);
    const all = itemsIn((await owner.call('GET', path)).body);
    t.equal(all.length, count);
    const byId = all.toSorted((one, other) => one.id - other.id);
    const byName = all.toSorted(compare);
    for (const [sort, wanted] of [
      ['id', byId],
      ['-id', byId.toReversed()],
      ['name', byName],
      ['-name', byName.toReversed()],
    ] as const) {
      t.strictSame((await owner.call('GET', `${path}?sort=${sort}`)).body, wanted, `all by ${sort}`);
      for (const size of [101, 700, 2_200]) {
        const found: Item[] = [];
        let place = '';
        for (;;) {
          const { body } = await owner.call('GET', `${path}?sort=${sort}&limit=${size}${place}`);
          const page = itemsIn(body);
          found.push(...page);
          const last = page.at(-1);
          if (last === undefined || found.length > count) break;
          const name = sort.endsWith('name') ? `&afterName=${encodeURIComponent(last.name)}` : '';
          place = `&after=${last.id}${name}`;
        }
        t.equal(idsIn(found), idsIn(wanted), `by ${sort} in pages of ${size}`);
      }
    }
  },
  isSorted,
);

forEachResource(
  'a page begins after the place of an item that was renamed or deleted since',
  async (t, { path, newOwner, item, query }) => {
    const { call, name } = await newOwner();
    for (const [at, letter] of ['a', 'b', 'c', 'd', 'e'].entries())
      await call('POST', path, { body: item(at + 1, letter) });
    const after = '&after=2&afterName=b';
    const pages = async () => [
      idsIn((await call('GET', `${path}?sort=name${after}`)).body),
      idsIn((await call('GET', `${path}?sort=-name${after}`)).body),
    ];
    t.strictSame(await pages(), ['3,4,5', '1']);
    await query("UPDATE beds SET name = 'z' WHERE owner = $1 AND id = 2", [name]);
    t.strictSame(await pages(), ['3,4,5,2', '1']);
    await call('DELETE', `${path}/2`);
    t.strictSame(await pages(), ['3,4,5', '1']);
  },
  isSorted,
);

forEachResource(
  'lists of the same moment in other orders do not mix',
  async (t, { path, newOwner, item }) => {
    const owners = await Promise.all([newOwner(), newOwner()]);
    for (const [at, { call }] of owners.entries())
      for (const [id, name] of [
        [10, 'b'],
        [20, 'a'],
        [30, 'b'],
      ] as const)
        await call('POST', path, { body: item(id + at, name) });
    const cases = [
      ['', [10, 20, 30]],
      ['?sort=-id', [30, 20, 10]],
      ['?sort=name', [20, 10, 30]],
      ['?sort=-name', [30, 10, 20]],
      ['?sort=name&afterName=b&after=15', [30]],
      ['?sort=name&afterName=a&after=15', [20, 10, 30]],
      ['?sort=-name&garden=7', [30, 10, 20]],
      ['?sort=name&garden=8', []],
    ] as const;
    const asked = Array.from({ length: 6 }, () => [0, 1] as const)
      .flat()
      .flatMap((at) => cases.map(([search, ids]) => ({ at, search, ids })));
    const answers = await Promise.all(
      asked.map(({ at, search }) => owners[at]?.call('GET', `${path}${search}`)),
    );
    t.strictSame(
      answers.map((answer) => idsIn(answer?.body)),
      asked.map(({ at, ids }) => ids.map((id) => id + at).join()),
    );
  },
  isSorted,
);

forEachResource(
  'an order that is not documented, and a place of another order, are refused',
  async (t, { path, newOwner }) => {
    const { call } = await newOwner();
    for (const search of [
      'sort=garden',
      'sort=',
      'sort=name&after=7',
      'sort=-name&after=7',
      'sort=name&afterName=Herbs',
      'sort=id&after=7&afterName=Herbs',
      'afterName=Herbs',
      'sort=name&after=7&afterName=%00',
      'sort=name&after=7&afterName=',
    ])
      t.match(await call('GET', `${path}?${search}`), { status: 400, body: { error: 400 } }, search);
    t.match((await call('GET', `${path}?sort=name&after=7`)).body, { message: /query\/afterName/ });
  },
  isSorted,
);
