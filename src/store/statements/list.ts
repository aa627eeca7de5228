/** Keyset pages: a long list holds no connection between pages. */

import type { LongLists } from '../../fairness/long-lists.js';
import type { Owner } from '../../fairness/owner.js';
import type { Database, Statement } from '../../postgres/database.js';
import type { Members } from '../columns/columns.js';
import { charactersOf, type PageText, pageTextReader, pageTextSql } from '../columns/page-text.js';
import type { TableNames } from '../table.js';

export interface List {
  readonly owner: Owner;
  /** The least id that is listed. */
  readonly from: bigint;
  readonly limit: number;
}

/** Items by ascending id. */
export type Page = PageText & {
  readonly length: number;
  /** Items asked for: a shorter page is the last. */
  readonly size: number;
  readonly last: bigint | null;
};

/** The largest 32 pages take a few megabytes. */
export const firstPagesAtOnce = 32;

/**
 * How many items a page has: `first`, then up to `growth` times as many as the page before, so many that they
 * have about `characters`, and at most `max`.
 */
const sizes = { first: 100, growth: 4, max: 1_600, characters: 2 ** 16 };

/** Reads the first `limit` items; `which` and `limit` are SQL. */
type FirstOf = (which: string, limit: string) => string;

/**
 * The constant LIMIT keeps the planner from sorting all items for each page
 * (test/store/list-plan.minutes.test.ts).
 */
function firstOfTable({ table, key }: TableNames): FirstOf {
  return (which, limit) =>
    `SELECT * FROM (SELECT * FROM ${table} AS item WHERE ${which} ORDER BY ${key} LIMIT ${sizes.max}) AS head
     LIMIT (SELECT ${limit}::int)`;
}

/**
 * Reads each list's first page. SELECT hides the arrays' lengths from the planner, which would otherwise plan
 * short batches anew each time.
 */
function firstPages({ owner, key }: TableNames, page: string, firstOf: FirstOf): string {
  return `SELECT page.*
   FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::int[])) WITH ORDINALITY
     AS list (owner, start, size, ordinal)
   CROSS JOIN LATERAL (
     SELECT ${page}, list.size
     FROM (${firstOf(`item.${owner} = list.owner AND item.${key} >= list.start`, 'list.size')}) AS item
   ) AS page ORDER BY ordinal`;
}

/** @param longLists those of all tables */
export function pagesOf(
  database: Database,
  names: TableNames,
  longLists: LongLists,
  firstText: typeof firstPages = firstPages,
) {
  const { owner: ownerName, key, answered } = names;
  const firstOf = firstOfTable(names);
  const readText = pageTextReader(answered);
  const page = [...pageTextSql(answered), `max(${key}) AS last`, 'count(*)::int AS length'].join(', ');
  const first: Statement = {
    name: `first pages of ${names.name}`,
    text: firstText(names, page, firstOf),
    reads: true,
  };
  const next: Statement = {
    name: `next page of ${names.name}`,
    text: `SELECT ${page}, $3::int AS size
           FROM (${firstOf(`item.${ownerName} = $1 AND item.${key} > $2`, '$3')}) AS item`,
    reads: true,
  };

  async function readFirst(lists: readonly List[], deadline?: number): Promise<Page[]> {
    const values = [
      lists.map(({ owner }) => owner),
      lists.map(({ from }) => from),
      lists.map(({ limit }) => Math.min(sizes.first, limit)),
    ];
    return (await database.query<Page>({ ...first, values, deadline })).rows;
  }

  /** @param left how many items the list may have after this page */
  async function readNext(owner: Owner, before: Page, left: number): Promise<Page | undefined> {
    if (before.length < before.size || left === 0) return undefined;
    const byCharacters = Math.ceil((sizes.characters * before.length) / charactersOf(answered, before));
    const wanted = Math.min(sizes.growth * before.length, byCharacters, sizes.max, left);
    return (await database.query<Page>({ ...next, values: [owner, before.last, wanted] })).rows[0];
  }

  /** @throws {OverloadError} if the list may be long, and its owner reads too many already */
  function refuseMore({ owner, limit }: List): void {
    if (limit > sizes.first) longLists.refuseMore(owner);
  }

  async function* readAll(list: List, head: Page): AsyncGenerator<Members[]> {
    const leave = longLists.enter(list.owner);
    try {
      yield* readOn(list, head);
    } finally {
      leave();
    }
  }

  async function* readOn({ owner, limit }: List, head: Page): AsyncGenerator<Members[]> {
    let left = limit;
    let page: Page | undefined = head;
    while (page !== undefined) {
      left -= page.length;
      // PostgreSQL reads the next page while the service sends this one.
      const following = readNext(owner, page, left);
      // If the reader stops early, nobody handles a failure.
      following.catch(() => {});
      await longLists.turn();
      yield readText(page);
      page = await following;
    }
  }

  return { refuseMore, readFirst, itemsOf: readText, readAll };
}
