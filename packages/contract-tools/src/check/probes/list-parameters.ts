/**
 * Tries the parameters of a list that filter it or put it in order, and what it tells of its length.
 *
 * The list as it is without them is the measure: an item is in a filtered list if, and only if, the whole list
 * shows it with the value that was asked for. So nothing need be known of how the server stores it. The probe
 * makes items of two values for each filter first, and reads in pages of a few items, because a server may
 * filter, sort or count one page instead of all.
 *
 * Others may use the list at the same time. So an item that is missing counts only if it is the checker's own,
 * and a length must be wrong three times in a row.
 */
import type { Operation } from '../../document/operations.js';
import { succeeded, successesOf, successesOr } from '../../document/statuses.js';
import { type Filter, listParametersOf, type Order } from '../../resources/list-parameters.js';
import { sizeBounds } from '../../resources/paging.js';
import { contentLayers } from '../../resources/shape.js';
import { isObject, sameValue, show, type Value } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import { breachOf } from '../answers/findings.js';
import type { Run } from '../answers/run.js';
import type { RequestValues } from '../requests/request-values.js';
import type { Call } from '../resources/call.js';
import type { ResourceClient } from '../resources/client.js';
import { followPages } from '../resources/follow-pages.js';
import type { Id } from '../resources/ids.js';
import { makeItem } from '../resources/make-item.js';
import { namesNextPage } from '../resources/next-page.js';
import { mayHide } from '../resources/updates.js';
import { writeText } from '../values/parameter-text.js';
import { isLetThrough, isSame, otherValue, valuesFor } from './filter-values.js';
import { compareSurely } from './sure-order.js';
import { totalsIn } from './totals.js';

const titles = {
  filters: 'lets through a filter what fits, and nothing else',
  sorting: 'puts all items in the order that was asked for',
  totals: 'tells a length that agrees with its pages',
};
/** Enough pages to see whether a server filters or sorts a page only. */
const pagesWanted = 4;
/** The number of items that are read one by one. */
const maxSmallPages = 150;
/** Somebody else may add an item between two looks. */
const maxLooks = 3;

export async function probeListParameters(run: Run, client: ResourceClient): Promise<void> {
  const { list } = client.resource;
  if (list === undefined) return;
  const probe = new ListProbe(run, client, list);
  const { filters, orders, others } = listParametersOf(list);
  if (others.length > 0) {
    const names = others.map(({ name }) => name).join(', ');
    run.recorder.note(
      `What these parameters of ${list.id} do was not judged: ${names}. Only a filter by an enum, a boolean, an integer or a UUID, and an order by a member, are told by a document.`,
    );
  }
  const { on } = run.description.rules;
  if (on.has('filters')) for (const filter of filters) await probe.makeItemsFor(filter);
  await probe.readAll();
  if (on.has('filters')) for (const filter of filters) await probe.tryFilter(filter);
  if (on.has('sorting')) for (const order of orders) await probe.tryOrder(order);
}

class ListProbe {
  readonly #run: Run;
  readonly #client: ResourceClient;
  readonly #list: Operation;
  /** The checker's own items as the whole list shows them. */
  #shown = new Map<Id, Value>();
  /** The item at the end of the whole list, whoever has made it. */
  #last: Value = null;
  #size: number | undefined;

  constructor(run: Run, client: ResourceClient, list: Operation) {
    this.#run = run;
    this.#client = client;
    this.#list = list;
  }

  /** Makes two items of one value and one of another, if a create takes the member. */
  async makeItemsFor({ member: { name }, ...filter }: Filter): Promise<void> {
    const client = this.#client;
    const member = client.resource.members.find((one) => one.name === name);
    if (member === undefined) return this.#changeItemFor(name, valuesFor(filter));
    if (client.surroundings.refersAt(name)) return;
    const [one, other = one] = valuesFor(filter).filter((value) => fits(member.schemas, value));
    for (const value of [one, one, other]) {
      if (value === undefined) continue;
      await makeItem(client, { ...client.plainContent('to be found'), [name]: value });
    }
  }

  /** Gives one item each of the values if only an update takes the member, such as a state. */
  async #changeItemFor(name: string, values: readonly Value[]): Promise<void> {
    const client = this.#client;
    const { modify } = client.resource;
    const member =
      modify && membersOf(contentLayers(modify, client.resource)).find((one) => one.name === name);
    if (modify === undefined || member === undefined) return;
    for (const value of values.filter((one) => fits(member.schemas, one))) {
      const { id } = await makeItem(client);
      const statuses = [...modify.responses.keys()].filter((status) => status < 500);
      if (id === undefined) continue;
      await client.item('first', modify, id, statuses, { body: { [name]: value } });
      if (mayHide(client, { [name]: value })) client.own.doubt('first', id);
    }
  }

  async readAll(): Promise<void> {
    const { paging, reader } = this.#client;
    const whole = await this.#read({}, titles.totals, 'the whole list');
    if (whole === undefined) return;
    const items = reader.itemsOf(whole);
    this.#shown = this.#ownIn(whole);
    this.#last = items.at(-1)?.value ?? null;
    if (paging?.size === undefined) return;
    const { least, most } = sizeBounds(paging.size);
    this.#size = Math.min(most, Math.max(least, Math.ceil(items.length / pagesWanted)));
    await this.#read({}, titles.totals, `pages of ${this.#size}`);
  }

  async tryFilter(filter: Filter): Promise<void> {
    const { parameter, member, kind } = filter;
    const { name } = member;
    const values: Value[] = [];
    for (const value of this.#shown.values()) {
      const part = partOf(value, name);
      if (part !== undefined && part !== null && !values.some((known) => sameValue(known, part)))
        values.push(part);
    }
    const asked = values.filter((value) => fits([parameter.schema], value)).slice(0, 3);
    if (asked.length === 0) {
      const why = `no item of the list has a "${name}" that it could be asked for`;
      this.#run.recorder.note(
        `The filter ${parameter.name} of ${this.#list.id} was not tried, because ${why}.`,
      );
    }
    await this.#tryOtherValue(filter, values);
    for (const value of asked) {
      const text = writeText(value);
      if (text === undefined) continue;
      const why = `${parameter.name} is ${show(value)}`;
      const call = await this.#read({ [parameter.name]: text }, titles.filters, why);
      if (call === undefined) continue;
      const wrong = this.#client.reader
        .itemsOf(call)
        .find((item) => !isLetThrough(partOf(item.value, name), value, kind));
      const found = this.#ownIn(call);
      const missing = [...this.#shown].find(
        ([id, shown]) => isSame(partOf(shown, name) ?? null, value, kind) && !found.has(id),
      );
      const did =
        wrong !== undefined
          ? `for ${why} it shows ${show(wrong.value)}`
          : missing && `for ${why} it does not show ${show(missing[1])}, which it shows without the filter`;
      if (did !== undefined) this.#find(call, 'filters', 'the filter is not what it should be', why, did);
    }
    await this.#tryLastPage(filter, asked);
  }

  /**
   * A server that filters each page, and not the list, still shows all items that fit. That shows only if the
   * last page loses all its items: so this reads the smallest pages, by a value that the last item does not have.
   */
  async #tryLastPage({ parameter, member: { name }, kind }: Filter, asked: readonly Value[]): Promise<void> {
    const { paging } = this.#client;
    const last = partOf(this.#last, name) ?? null;
    const value = asked.find((one) => !isSame(last, one, kind));
    const text = value === undefined ? undefined : writeText(value);
    if (text === undefined || paging?.size === undefined || this.#shown.size > maxSmallPages) return;
    const usual = this.#size;
    this.#size = sizeBounds(paging.size).least;
    await this.#read(
      { [parameter.name]: text },
      titles.filters,
      `${parameter.name} is ${show(value ?? null)}`,
    );
    this.#size = usual;
  }

  /**
   * Asks for a value that no item was shown with. If all items have one value, only that tells a filter from none.
   * A server may refuse a reference to what nobody has.
   */
  async #tryOtherValue({ member: { name }, ...filter }: Filter, shown: readonly Value[]): Promise<void> {
    const { parameter, kind } = filter;
    const other = otherValue(filter, shown);
    const text = other === undefined ? undefined : writeText(other);
    if (other === undefined || text === undefined || shown.length === 0) return;
    const list = this.#list;
    this.#run.recorder.case(list.id, titles.filters);
    const query = { [parameter.name]: text };
    const call = await this.#client.call(
      'first',
      list,
      { query },
      successesOr(list, [400, 403, 404, 410, 422]),
    );
    const why = `${parameter.name} is ${show(other)}`;
    this.#run.recorder.find(list.id, titles.filters, why, [call], ...call.breaches);
    if (!succeeded(list, call)) return;
    const wrong = this.#client.reader
      .itemsOf(call)
      .find((item) => !isLetThrough(partOf(item.value, name), other, kind));
    if (wrong === undefined) return;
    this.#find(
      call,
      'filters',
      'the filter is not what it should be',
      why,
      `for ${why} it shows ${show(wrong.value)}`,
    );
  }

  async tryOrder({ parameter, text, member, isDescending }: Order): Promise<void> {
    const why = `${parameter.name} is ${text}`;
    const call = await this.#read({ [parameter.name]: text }, titles.sorting, why, member);
    if (call === undefined) return;
    const found = this.#ownIn(call);
    const missing = [...this.#shown].find(([id]) => !found.has(id));
    if (missing !== undefined) {
      const did = `for ${why} it does not show ${show(missing[1])}, which it shows in its own order`;
      return this.#find(call, 'sorting', 'an item is on no page of a sorted list', why, did);
    }
    const items = this.#client.reader.itemsOf(call).map(({ value }) => value);
    const parts = items.flatMap((value) => partOf(value, member) ?? []);
    for (const [index, part] of parts.entries()) {
      const before = parts[index - 1];
      if (before === undefined) continue;
      const order = compareSurely(before, part) * (isDescending ? -1 : 1);
      if (order <= 0) continue;
      const did = `for ${why} the "${member}" ${show(part)} comes behind ${show(before)}`;
      return this.#find(call, 'sorting', 'the order is not what was asked for', why, did);
    }
  }

  /**
   * Reads the list with further parameters, and compares the length that it tells with its pages.
   *
   * @param sortedBy the member that the parameters sort it by
   * @returns undefined if its end was not reached
   */
  async #read(
    query: RequestValues['query'],
    title: string,
    why: string,
    sortedBy?: string,
  ): Promise<Call | undefined> {
    const { recorder, description } = this.#run;
    const list = this.#list;
    for (let looks = maxLooks; ; looks--) {
      recorder.case(list.id, title);
      const call = await this.#ask(query, sortedBy);
      recorder.find(list.id, title, why, call.pages ?? [call], ...call.breaches);
      if (call.breaches.length > 0 || !succeeded(list, call) || call.isWhole === false) return undefined;
      const wrong = description.rules.on.has('totals') ? this.#wrongTotal(call) : undefined;
      if (wrong !== undefined && looks > 1) continue;
      if (wrong !== undefined)
        this.#find(call, 'totals', 'the length does not agree with the pages', why, wrong);
      return call;
    }
  }

  #ask(query: RequestValues['query'], sortedBy: string | undefined): Promise<Call> {
    const { paging } = this.#client;
    const list = this.#list;
    if (paging === undefined) return this.#client.call('first', list, { query }, successesOf(list));
    const size = this.#size === undefined ? {} : { size: this.#size };
    return followPages(this.#client, 'first', list, paging, {
      ...size,
      query,
      ...(sortedBy !== undefined && { sortedBy }),
    });
  }

  #wrongTotal(call: Call): string | undefined {
    const pages = call.pages ?? [call];
    const counts = pages.map((page) => this.#client.reader.itemsOf(page).length);
    const sum = counts.reduce((all, count) => all + count, 0);
    for (const [index, page] of pages.entries()) {
      for (const { name, value, isOfPage } of totalsIn(page.outcome)) {
        this.#run.recorder.tried(this.#list.id, `the length ${name.toLowerCase()}`);
        const mayBe = [sum, ...(isOfPage ? [counts[index]] : [])];
        if (!mayBe.some((count) => count !== undefined && BigInt(count) === value))
          return `${name} is ${value} on page ${index + 1}, and all pages together have ${sum} items`;
        const isEnd = index === pages.length - 2 && counts.at(-1) === 0;
        if (isEnd && !isOfPage && namesNextPage(page.outcome))
          return `${name} is ${value}, all of them have come, and there is a link to a next page, which is empty`;
      }
    }
    return undefined;
  }

  /** The checker's own items that a list shows, by their ids. */
  #ownIn(call: Call): Map<Id, Value> {
    const { own, markers, reader } = this.#client;
    const items = own.all.filter(({ owner }) => owner === 'first');
    const byMarker = new Map(items.map(({ id, content }) => [markers.of(content), id]));
    const known = reader.itemsOf(call).flatMap(({ id, marker, value }) => {
      const one = id ?? (marker === undefined ? undefined : byMarker.get(marker));
      return one !== undefined && own.find('first', one) !== undefined ? [[one, value] as const] : [];
    });
    return new Map(known);
  }

  #find(call: Call, by: keyof typeof titles, rule: string, why: string, did: string): void {
    const breach = { ...breachOf(this.#list, rule, did), by };
    this.#run.recorder.find(this.#list.id, titles[by], why, call.pages ?? [call], breach);
  }
}

function partOf(value: Value, name: string): Value | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
