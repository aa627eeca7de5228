/** Lists by keyset pages, so that a long list holds no connection between two pages. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Owner } from '../access/bearer.js';
import type { Database, Statement } from '../postgres/database.js';
import type { Column } from '../storage/columns.js';
import {
  charactersOf,
  freshSigns,
  type PageText,
  pageTextSql,
  readPageText,
  shortSigns,
} from '../storage/page-text.js';
import type { Plant } from './table.js';

/** A list of up to `limit` plants. */
export interface List {
  readonly owner: Owner;
  readonly limit: number;
}

/** Plants by ascending id, as PostgreSQL sends them. */
export type Page = PageText & {
  readonly length: number;
  /** How many plants were asked for. The list ends with a page that has fewer. */
  readonly size: number;
  /** The id of the last plant; null if there is none. */
  readonly last: bigint | null;
};

/** A batch of first pages; 32 of the largest are a few megabytes. */
export const firstPagesAtOnce = 32;

/**
 * The first page is small, so that its first bytes come at once. Each statement reads up to `growth` times as
 * many plants as the one before it, in up to `pages` pages of about `characters` characters. `first` and
 * `most` count plants.
 */
const sizes = { first: 100, growth: 4, most: 1_600, characters: 2 ** 16, pages: 8 };

/**
 * SQL for the first `limit` plants that match `which`. Both limits are needed: the inner one tells the
 * planner that few rows are wanted, the outer one is not known when it plans. With one of them alone,
 * PostgreSQL sorts all plants of an owner for each page of some tables (test/list-plan.long.test.ts).
 */
const firstOf = (which: string, limit: string) =>
  `SELECT * FROM (SELECT * FROM plants WHERE ${which} ORDER BY id LIMIT ${sizes.most}) AS head LIMIT (SELECT ${limit}::int)`;

/** @param columns all but those of the key */
export function plantPages(database: Database, columns: readonly Column[]) {
  const texts = pageTextSql(columns);
  const page = `${texts.ofRows}, max(id) AS last, count(*)::int AS length`;
  const first: Statement = {
    name: 'first pages of plants',
    text: `SELECT page.* FROM unnest($3::text[], $4::int[]) WITH ORDINALITY AS list (owner, size, place)
           CROSS JOIN LATERAL (
             SELECT ${page}, list.size FROM (${firstOf('plants.owner = list.owner', 'list.size')}) AS plant
           ) AS page ORDER BY place`,
    reads: true,
  };
  // A page that is much larger than expected is the last of its statement, because the next ones would be as
  // large.
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

  /** The first page of each list, with one statement. */
  async function readFirst(lists: readonly List[], signs = shortSigns): Promise<Page[]> {
    const wanted = lists.map(({ limit }) => Math.min(sizes.first, limit));
    const values = [signs.separator, signs.absent, lists.map(({ owner }) => owner), wanted];
    return (await database.query<Page>({ ...first, values })).rows;
  }

  /** The pages after a page, as many as one statement reads; none if that page was the last. */
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
    // Not prepared, because planning takes a thousandth of its time.
    const { rows } = await database.query<Page & { place: number }>({ text: next, values, reads: true });
    // PostgreSQL sends them in this order, but does not promise it, and with ORDER BY it would hold all of
    // them first.
    return rows.sort((one, other) => one.place - other.place);
  }

  /** Undefined if a value contains one of the signs. */
  function plantsOf(page: Page, signs = shortSigns): Plant[] | undefined {
    // The columns are those of a plant (table.ts), and the start has compared the table with them.
    return readPageText(columns, signs, page, page.length) as Plant[] | undefined;
  }

  /**
   * All plants of a list, beginning with its first page.
   *
   * @param lists how many lists are being read now. They share `sizes.pages`, because a list holds the pages
   *   of two statements in memory for as long as its reader takes
   */
  async function* readAll({ owner, limit }: List, head: Page, lists: () => number): AsyncGenerator<Plant[]> {
    let signs = shortSigns;
    let remaining = limit;
    let before: Page | undefined;
    const readBehind = (behind: Page | undefined, plants: number, left: number): Promise<Page[]> => {
      const most = { plants: Math.min(sizes.growth * plants, left), pages: Math.ceil(sizes.pages / lists()) };
      const pages = behind ? readNext(owner, behind, signs, most) : readFirst([{ owner, limit }], signs);
      // If the reader stops before the pages arrive, nobody handles their failure.
      pages.catch(() => {});
      return pages;
    };
    let pages = [head];
    for (let last = pages.at(-1); last !== undefined; last = pages.at(-1)) {
      const plants = pages.reduce((sum, { length }) => sum + length, 0);
      // PostgreSQL reads the next pages while the service sends these.
      let following = readBehind(last, plants, remaining - plants);
      // shift() lets go of each page once it is sent.
      for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
        // The query leaves first, and other requests get their turn between two pages.
        await nextTurn();
        const read = plantsOf(page, signs);
        if (read === undefined) {
          // Reads this page and those after it again, with signs that no plant can contain.
          signs = freshSigns();
          following = readBehind(before, before?.length ?? sizes.first, remaining);
          break;
        }
        yield read;
        remaining -= page.length;
        before = page;
      }
      pages = await following;
    }
  }

  return { readFirst, plantsOf, readAll };
}
