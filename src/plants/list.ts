/** Keyset pages: a long list holds no connection between pages. */

import { LongLists } from '../fairness/long-lists.js';
import type { Owner } from '../fairness/owner.js';
import type { Database, Statement } from '../postgres/database.js';
import type { Column } from '../storage/columns.js';
import {
  charactersOf,
  freshSigns,
  type PageText,
  pageTextReader,
  pageTextSql,
  shortSigns,
} from '../storage/page-text.js';
import type { Plant } from './table.js';

export interface List {
  readonly owner: Owner;
  readonly limit: number;
}

/** Plants by ascending id. */
export type Page = PageText & {
  readonly length: number;
  /** Plants asked for: a shorter page is the last. */
  readonly size: number;
  readonly last: bigint | null;
};

/** The largest 32 pages take a few megabytes. */
export const firstPagesAtOnce = 32;

/**
 * `first` and `most` are plants of one page. A statement reads up to `growth` times the plants of the last
 * one, in up to `pages` pages of about `characters`.
 */
const sizes = { first: 100, growth: 4, most: 1_600, characters: 2 ** 16, pages: 8 };

/**
 * Without the constant LIMIT, the planner may sort all plants for each page
 * (test/plants/list-plan.minutes.test.ts).
 */
const firstOf = (which: string, limit: string) =>
  `SELECT * FROM (SELECT * FROM plants WHERE ${which} ORDER BY id LIMIT ${sizes.most}) AS head
   LIMIT (SELECT ${limit}::int)`;

/**
 * Reads each list's first page. SELECT hides the arrays' lengths from the planner, which would otherwise plan
 * short batches anew each time.
 */
const firstPages = (page: string, first: typeof firstOf) =>
  `SELECT page.*
   FROM unnest((SELECT $3::text[]), (SELECT $4::int[])) WITH ORDINALITY AS list (owner, size, place)
   CROSS JOIN LATERAL (
     SELECT ${page}, list.size FROM (${first('plants.owner = list.owner', 'list.size')}) AS plant
   ) AS page ORDER BY place`;

/** @param columns all but the key's */
export function plantPages(
  database: Database,
  columns: readonly Column[],
  firstText = firstPages,
  longLists = new LongLists(),
) {
  const texts = pageTextSql(columns);
  const readText = pageTextReader(columns);
  const page = `${texts.ofRows}, max(id) AS last, count(*)::int AS length`;
  const first: Statement = {
    name: 'first pages of plants',
    text: firstText(page, firstOf),
    reads: true,
  };
  // Row 0 is the page before. The last or an unexpectedly large page ends the statement.
  const next = `WITH RECURSIVE page AS (
      SELECT 0 AS place, ${texts.ofNone}, $4::bigint AS last, $5::int AS length, $5::int AS size
      UNION ALL
      SELECT place + 1, next.*
      FROM page CROSS JOIN LATERAL (
        SELECT ${page}, $5::int FROM (${firstOf('owner = $3 AND id > page.last', '$5')}) AS plant
      ) AS next
      WHERE page.length = $5 AND place < $6 AND ${texts.bytes} < ${4 * sizes.characters}
    )
    SELECT * FROM page WHERE place > 0`;

  async function readFirst(lists: readonly List[], deadline?: number, signs = shortSigns): Promise<Page[]> {
    const wanted = lists.map(({ limit }) => Math.min(sizes.first, limit));
    const values = [signs.separator, signs.absent, lists.map(({ owner }) => owner), wanted];
    return (await database.query<Page>({ ...first, values, deadline })).rows;
  }

  async function readNext(
    owner: Owner,
    page: Page,
    signs: typeof shortSigns,
    most: { readonly plants: number; readonly pages: number },
  ): Promise<Page[]> {
    if (page.length < page.size || most.plants === 0) return [];
    const byCharacters = Math.ceil((sizes.characters * page.length) / charactersOf(columns, page));
    const wanted = Math.min(sizes.most, most.plants, byCharacters);
    const pages = Math.min(most.pages, Math.floor(most.plants / wanted));
    const values = [signs.separator, signs.absent, owner, page.last, wanted, pages];
    // Not prepared: planning is quick.
    const statement: Statement = { text: next, values, reads: true };
    const { rows } = await database.query<Page & { place: number }>(statement);
    // PostgreSQL promises no order, and ORDER BY would make it hold all.
    return rows.sort((one, other) => one.place - other.place);
  }

  /** Undefined if a value contains a sign. */
  function plantsOf(page: Page, signs = shortSigns): Plant[] | undefined {
    // table.ts and checkTables guarantee the columns.
    return readText(signs, page, page.length) as Plant[] | undefined;
  }

  /** @throws {OverloadError} if the list may be long, and its owner reads too many already */
  function refuseMore({ owner, limit }: List): void {
    if (limit > sizes.first) longLists.refuseMore(owner);
  }

  async function* readAll(list: List, head: Page): AsyncGenerator<Plant[]> {
    const leave = longLists.enter(list.owner);
    try {
      yield* readOn(list, head);
    } finally {
      leave();
    }
  }

  async function* readOn({ owner, limit }: List, head: Page): AsyncGenerator<Plant[]> {
    let signs = shortSigns;
    let remaining = limit;
    let before: Page | undefined;
    const readAfter = (page: Page | undefined, plants: number, left: number): Promise<Page[]> => {
      const most = {
        plants: Math.min(sizes.growth * plants, left),
        pages: Math.ceil(sizes.pages / longLists.count),
      };
      const pages = page
        ? readNext(owner, page, signs, most)
        : readFirst([{ owner, limit }], undefined, signs);
      // If the reader stops early, nobody handles a failure.
      pages.catch(() => {});
      return pages;
    };
    let pages = [head];
    for (let last = pages.at(-1); last !== undefined; last = pages.at(-1)) {
      const plants = pages.reduce((sum, { length }) => sum + length, 0);
      // PostgreSQL reads on while the service sends these.
      let following = readAfter(last, plants, remaining - plants);
      // shift() frees each page.
      for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
        await longLists.turn();
        const read = plantsOf(page, signs);
        if (read === undefined) {
          // A plant contains a sign: read again, with random signs.
          signs = freshSigns();
          following = readAfter(before, before?.length ?? sizes.first, remaining);
          break;
        }
        yield read;
        remaining -= page.length;
        before = page;
      }
      pages = await following;
    }
  }

  return { refuseMore, readFirst, plantsOf, readAll };
}
