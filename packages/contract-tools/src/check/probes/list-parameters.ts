/**
 * Tries the parameters of a list that filter it or put it in order, and what it tells of its length.
 *
 * The list as it is without them is the measure: an item is in a filtered list if, and only if, the whole list
 * shows it with the value that was asked for. So nothing need be known of how the server stores it. The probe
 * makes items of two values for each filter first, and reads in pages of a few items, because a server may
 * filter, sort or count one page instead of all, and its link to the next page may leave out the filter.
 *
 * A filter with a documented default counts as sent: the list without it shows only what fits the default, and what is
 * left out must come if it is asked for.
 *
 * A server may forget whose items it lists once it filters. So the second owner has an item, too, which no list of the first
 * shows.
 *
 * Others may use the list at the same time. So an item that is missing counts only if it is the checker's own,
 * and a length must be wrong three times in a row.
 */
import type { Operation } from '../../document/operations.js';
import { documented, succeeded, successesOf } from '../../document/statuses.js';
import { type Filter, listParametersOf, type Order } from '../../resources/list-parameters.js';
import { sizeBounds } from '../../resources/paging.js';
import { contentLayers } from '../../resources/shape.js';
import { memberOf, show, type Value, type ValueObject } from '../../values/json.js';
import { membersOf } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import type { RequestValues } from '../requests/request-values.js';
import type { Call } from '../resources/call.js';
import { type DefaultFilter, defaultsOf } from '../resources/default-filters.js';
import { fitOf, partsFor } from '../resources/filter-fit.js';
import { followPages } from '../resources/follow-pages.js';
import type { Id } from '../resources/ids.js';
import { makeItem, makeWhole } from '../resources/make-item.js';
import { namesNextPage } from '../resources/next-page.js';
import { shownItem } from '../resources/shown-item.js';
import { mayHide } from '../resources/updates.js';
import { writeText } from '../values/parameter-text.js';
import { doubt } from './denied.js';
import { askedFor, otherValue, valuesFor } from './filter-values.js';
import { compareSurely } from './sure-order.js';
import { totalsIn } from './totals.js';
import { Trial } from './trial.js';

/** What must hold beside what the row says of filters. */
const titles = {
  sorting: 'puts all items in the order that was asked for',
  totals: 'tells a length that agrees with its pages',
};
type Aspect = 'filters' | keyof typeof titles;
/** Enough pages to see whether a server filters or sorts a page only. */
const pagesWanted = 4;
/** The number of items that are read one by one. */
const maxSmallPages = 150;
/** Somebody else may add an item between two looks. */
const maxLooks = 3;

export async function probeListParameters(trial: Trial, list: Operation): Promise<void> {
  const { client } = trial;
  const { filters, orders, others } = listParametersOf(list, (name) => client.surroundings.refersAt(name));
  const filtersTried = trial.isOn('filters') ? filters : [];
  const probe = new ListTrial(trial, list, defaultsOf(filtersTried));
  if (others.length > 0) {
    const names = others.map(({ name }) => name).join(', ');
    client.note(
      `What these parameters of ${list.id} do was not judged: ${names}. A document tells only a filter by an enum, a boolean, an integer, a UUID or a reference, a comparison with a date or a number, and an order by a member.`,
    );
  }
  for (const filter of filtersTried) await probe.makeItemsFor(filter);
  if (filtersTried.length > 0) await probe.makeTheirs();
  await probe.readAll();
  for (const filter of filtersTried) await probe.tryFilter(filter);
  if (trial.isOn('sorting')) for (const order of orders) await probe.tryOrder(order);
}

class ListTrial extends Trial {
  readonly #list: Operation;
  readonly #defaults: readonly DefaultFilter[];
  readonly #made: Id[] = [];
  /** The checker's own items as the whole list shows them. */
  #shown: ReadonlyMap<Id, Value> = new Map();
  /** The others that were made here, which it leaves out by default, as a GET shows them. */
  readonly #hidden = new Map<Id, Value>();
  /** All items of the whole list, whoever has made them. */
  #all: readonly Value[] = [];
  #size: number | undefined;
  /** The marker of an item of the second owner; undefined if there is none. */
  #theirs: string | undefined;

  constructor(trial: Trial, list: Operation, defaults: readonly DefaultFilter[]) {
    super(trial);
    this.#list = list;
    this.#defaults = defaults;
  }

  /** Makes two items of one value and one of each other, if a create takes the member. */
  async makeItemsFor(filter: Filter): Promise<void> {
    const client = this.client;
    const { name } = filter.member;
    const member = client.resource.members.find((one) => one.name === name);
    if (client.surroundings.refersAt(name)) return this.#makeReferring(name);
    const values = valuesFor(filter);
    if (member === undefined) {
      if (filter.comparison === 'is') await this.#changeItemFor(name, values);
      return;
    }
    const [one, ...others] = values.filter((value) => fits(member.schemas, value));
    for (const value of [one, one, ...others]) {
      if (value !== undefined) await this.#make({ [name]: value });
    }
  }

  async #make(members: ValueObject): Promise<void> {
    const client = this.client;
    const { id } = await makeItem(client, { ...client.plainContent('to be found'), ...members });
    if (id !== undefined) this.#made.push(id);
  }

  /** Makes an item that refers to another one than all others do. */
  async #makeReferring(name: string): Promise<void> {
    const need = this.client.surroundings.needs.find(
      ({ relation }) => relation.name === name && !relation.isParent,
    );
    const target = this.run.meaning.collections.find(({ client }) => client.surroundings === need?.target);
    const other = target && (await makeWhole(target.client, 'to be referred to'));
    if (need === undefined || other === undefined) return;
    await this.#make({});
    await this.#make({ [name]: need.relation.isList ? [other.id] : other.id });
  }

  /** Gives one item each of the values if only an update takes the member, such as a state. */
  async #changeItemFor(name: string, values: readonly Value[]): Promise<void> {
    const client = this.client;
    const { modify } = client.resource;
    const member =
      modify && membersOf(contentLayers(modify, client.resource)).find((one) => one.name === name);
    if (modify === undefined || member === undefined) return;
    for (const value of values.filter((one) => fits(member.schemas, one))) {
      const { id } = await makeItem(client);
      if (id === undefined) continue;
      await client.item('first', modify, id, documented(modify), { body: { [name]: value } });
      if (mayHide(client, { [name]: value })) client.own.doubt('first', id);
      this.#made.push(id);
    }
  }

  /** Makes an item of the second owner, if isolation is tried at all. */
  async makeTheirs(): Promise<void> {
    const { client, part } = this;
    const isClosed = this.#list.secured && !this.#list.anonymous && this.isOn('isolation');
    if (!isClosed || !part.known.includes('second')) return;
    const content = client.plainContent('of the second owner', 'without', 'second');
    const { id } = await makeItem(client, content, 'second');
    if (id !== undefined) this.#theirs = client.markers.of(content);
  }

  async readAll(): Promise<void> {
    const { paging, reader } = this.client;
    const whole = await this.#read({}, 'totals', 'the whole list');
    if (whole === undefined) return;
    const items = reader.itemsOf(whole);
    this.#all = items.map(({ value }) => value);
    this.#shown = this.#ownIn(whole);
    await this.#lookForHidden();
    for (const one of this.#defaults) this.#tryDefault(one, whole);
    if (paging?.size === undefined) return;
    const { least, most } = sizeBounds(paging.size);
    this.#size = Math.min(most, Math.max(least, Math.ceil(items.length / pagesWanted)));
    await this.#read({}, 'totals', `pages of ${this.#size}`);
  }

  async #lookForHidden(): Promise<void> {
    if (this.#defaults.length === 0) return;
    for (const id of this.#made.filter((one) => !this.#shown.has(one))) {
      const value = (await shownItem(this.client, id))?.value;
      const isHidden = ({ filter, usual }: DefaultFilter): boolean =>
        value !== undefined && fitOf(filter, value, usual) === 'out';
      if (value !== undefined && this.#defaults.some(isHidden)) this.#hidden.set(id, value);
    }
  }

  async tryFilter(filter: Filter): Promise<void> {
    const { parameter, member } = filter;
    const values = [...this.#hidden.values(), ...this.#shown.values()].flatMap(
      (item) => partsFor(filter, item) ?? [],
    );
    const asked = askedFor(filter, values);
    if (asked.length === 0) {
      const why = `no item of the list has a "${member.name}" that it could be asked for`;
      this.client.note(`The filter ${parameter.name} of ${this.#list.id} was not tried, because ${why}.`);
    }
    await this.#tryOtherValue(filter, values);
    for (const value of asked) await this.#tryValue(filter, value);
    await this.#trySmallPages(filter, asked);
  }

  async #tryValue(filter: Filter, value: Value): Promise<void> {
    const { parameter } = filter;
    const text = writeText(value);
    if (text === undefined) return;
    const why = `${parameter.name} is ${show(value)}`;
    const call = await this.#read({ [parameter.name]: text }, 'filters', why);
    if (call === undefined) return;
    const items = this.client.reader.itemsOf(call);
    const theirs = items.find(({ marker }) => marker !== undefined && marker === this.#theirs);
    if (theirs !== undefined) {
      const did = `for ${why} the first owner is shown ${show(theirs.value)}, which is the second one's ${doubt}`;
      const breach = { rule: "the list shows another owner's item", did, by: 'isolation' as const };
      return this.find(this.#list, why, call.pages ?? [call], breach);
    }
    const wrong = items.find((item) => fitOf(filter, item.value, value) === 'out');
    if (wrong !== undefined) return this.#findWrong(call, why, wrong.value);
    const missing = await this.#missingIn(call, filter, value);
    if (missing === undefined) return;
    const did = `for ${why} it does not show ${show(missing)}, which fits`;
    this.#find(call, 'filters', 'the filter is not what it should be', why, did);
  }

  /** An item of the checker's own that fits, and is not in a filtered list. */
  async #missingIn(call: Call, filter: Filter, value: Value): Promise<Value | undefined> {
    const found = this.#ownIn(call);
    for (const [id, item] of [...this.#shown, ...this.#hidden]) {
      if (found.has(id) || !this.#isExpected(filter, item, value)) continue;
      // It may have moved on by itself.
      const now = this.client.resource.get === undefined ? item : (await shownItem(this.client, id))?.value;
      if (now !== undefined && this.#isExpected(filter, now, value)) return item;
    }
    return undefined;
  }

  #isExpected(filter: Filter, item: Value, value: Value): boolean {
    const others = this.#defaults.filter((one) => one.filter.member.name !== filter.member.name);
    return (
      fitOf(filter, item, value) === 'in' &&
      others.every((one) => fitOf(one.filter, item, one.usual) !== 'out')
    );
  }

  /** What the list shows without a filter fits the default of that. */
  #tryDefault({ filter, usual }: DefaultFilter, whole: Call): void {
    const wrong = this.#all.find((item) => fitOf(filter, item, usual) === 'out');
    const why = `without ${filter.parameter.name}, whose default is ${show(usual)},`;
    if (wrong !== undefined) this.#findWrong(whole, why, wrong);
  }

  #findWrong(call: Call, why: string, wrong: Value): void {
    this.#find(
      call,
      'filters',
      'the filter is not what it should be',
      why,
      `for ${why} it shows ${show(wrong)}`,
    );
  }

  /**
   * A server that filters each page, and not the list, still shows all items that fit. That shows only if the
   * last page loses all its items: so this reads the smallest pages, by a value that the last item does not have.
   */
  async #trySmallPages(filter: Filter, asked: readonly Value[]): Promise<void> {
    const { paging } = this.client;
    const last = this.#all.at(-1) ?? null;
    const value = asked.find((one) => fitOf(filter, last, one) === 'out') ?? asked[0];
    if (value === undefined || paging?.size === undefined || this.#shown.size > maxSmallPages) return;
    const usual = this.#size;
    this.#size = sizeBounds(paging.size).least;
    await this.#tryValue(filter, value);
    this.#size = usual;
  }

  /**
   * Asks for a value that no item was shown with. If all items have one value, only that tells a filter from none.
   * A server may refuse a reference to what nobody has.
   */
  async #tryOtherValue(filter: Filter, shown: readonly Value[]): Promise<void> {
    const { parameter } = filter;
    const other = otherValue(filter, shown);
    const text = other === undefined ? undefined : writeText(other);
    if (other === undefined || text === undefined || shown.length === 0) return;
    const list = this.#list;
    this.begin(list);
    const query = { [parameter.name]: text };
    const call = await this.client.call('first', list, { query }, documented(list));
    const why = `${parameter.name} is ${show(other)}`;
    this.judge(list, why, call);
    if (!succeeded(list, call)) return;
    const wrong = this.client.reader.itemsOf(call).find((item) => fitOf(filter, item.value, other) === 'out');
    if (wrong !== undefined) this.#findWrong(call, why, wrong.value);
  }

  async tryOrder({ parameter, text, member, isDescending }: Order): Promise<void> {
    const why = `${parameter.name} is ${text}`;
    const call = await this.#read({ [parameter.name]: text }, 'sorting', why, member);
    if (call === undefined) return;
    const found = this.#ownIn(call);
    const missing = [...this.#shown].find(([id]) => !found.has(id));
    if (missing !== undefined) {
      const did = `for ${why} it does not show ${show(missing[1])}, which it shows in its own order`;
      return this.#find(call, 'sorting', 'an item is on no page of a sorted list', why, did);
    }
    const items = this.client.reader.itemsOf(call).map(({ value }) => value);
    const parts = items.flatMap((value) => memberOf(value, member) ?? []);
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
    about: Aspect,
    why: string,
    sortedBy?: string,
  ): Promise<Call | undefined> {
    const trial = this.#about(about);
    const list = this.#list;
    for (let looks = maxLooks; ; looks--) {
      trial.begin(list);
      const call = await this.#ask(query, sortedBy);
      trial.judge(list, why, call);
      if (call.breaches.length > 0 || !succeeded(list, call) || call.isWhole === false) return undefined;
      const wrong = this.isOn('totals') ? this.#wrongTotal(call) : undefined;
      if (wrong !== undefined && looks > 1) continue;
      if (wrong !== undefined)
        this.#find(call, 'totals', 'the length does not agree with the pages', why, wrong);
      return call;
    }
  }

  #ask(query: RequestValues['query'], sortedBy: string | undefined): Promise<Call> {
    const { paging } = this.client;
    const list = this.#list;
    if (paging === undefined) return this.client.call('first', list, { query }, successesOf(list));
    const size = this.#size === undefined ? {} : { size: this.#size };
    return followPages(this.client, 'first', list, paging, {
      ...size,
      query,
      ...(sortedBy !== undefined && { sortedBy }),
    });
  }

  #wrongTotal(call: Call): string | undefined {
    const pages = call.pages ?? [call];
    const counts = pages.map((page) => this.client.reader.itemsOf(page).length);
    const sum = counts.reduce((all, count) => all + count, 0);
    for (const [index, page] of pages.entries()) {
      for (const { name, value, isOfPage } of totalsIn(page.outcome)) {
        this.run.recorder.tried(this.#list.id, `the length ${name.toLowerCase()}`);
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
    const { own, markers, reader } = this.client;
    const items = own.all.filter(({ owner }) => owner === 'first');
    const byMarker = new Map(items.map(({ id, content }) => [markers.of(content), id]));
    const known = reader.itemsOf(call).flatMap(({ id, marker, value }) => {
      const one = id ?? (marker === undefined ? undefined : byMarker.get(marker));
      return one !== undefined && own.find('first', one) !== undefined ? [[one, value] as const] : [];
    });
    return new Map(known);
  }

  #about(aspect: Aspect): Trial {
    return aspect === 'filters' ? this : this.titled(titles[aspect]);
  }

  #find(call: Call, by: Aspect, rule: string, why: string, did: string): void {
    this.#about(by).find(this.#list, why, call.pages ?? [call], { rule, did, by });
  }
}
