/**
 * Items that others have on a server while it is checked. They are made before the run, and read again after it: each must
 * be there as it was. A handler in front of the server records what succeeds at their paths and is not safe, so that a
 * change that was undone shows, too.
 */

import { Recorder } from '../src/check/answers/findings.js';
import { accountsOf, type GivenCredentials } from '../src/check/document/accounts.js';
import { describe } from '../src/check/document/description.js';
import { Exchange } from '../src/check/requests/exchange.js';
import { bodyOf } from '../src/check/requests/reply.js';
import type { ResourceClient } from '../src/check/resources/client.js';
import { readList } from '../src/check/resources/follow-pages.js';
import { Meaning } from '../src/check/resources/meaning.js';
import type { OwnItem } from '../src/check/resources/own-items.js';
import { reach } from '../src/check/resources/reach.js';
import type { ApiDocument } from '../src/document/read-document.js';
import { show, type Value } from '../src/values/json.js';
import type { Handler } from './fault-proxy.js';

const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

interface Bystander {
  readonly client: ResourceClient;
  readonly item: OwnItem;
  readonly shown: Value;
}

export class Bystanders {
  readonly #exchange: Exchange;
  readonly #items: readonly Bystander[];
  readonly #changes: string[] = [];

  private constructor(exchange: Exchange, items: readonly Bystander[]) {
    this.#exchange = exchange;
    this.#items = items;
  }

  /** Makes items of each collection, for each owner whose credentials there are. */
  static async make(document: ApiDocument, url: URL, credentials: GivenCredentials): Promise<Bystanders> {
    const description = describe(document);
    const exchange = new Exchange({
      ...{ url, connections: 1, signal: new AbortController().signal },
      onSurplus: () => {},
    });
    const accounts = accountsOf(description, credentials);
    const meaning = new Meaning({ description, exchange, accounts, recorder: new Recorder({ description }) });
    const items: Bystander[] = [];
    for (const { client, known } of meaning.collections) {
      for (const owner of known) await reach(client, owner);
      for (const item of client.own.all.filter(({ created }) => created))
        items.push({ client, item, shown: await shownOf(client, item) });
    }
    return new Bystanders(exchange, items);
  }

  /** Passes all requests on, and records those that may have changed one of the items. */
  readonly handler: Handler = async (request, next) => {
    const answer = await next(request);
    const path = request.target.split('?')[0] ?? '';
    const isChange = !safeMethods.includes(request.method) && answer.status < 400;
    if (isChange && this.#items.some((one) => isAt(one, path)))
      this.#changes.push(`${request.method} ${request.target} was answered ${answer.status}`);
    return answer;
  };

  /** @returns a sentence for each item that is not as it was, and for each request that may have changed one */
  async harm(): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const { client, item, shown } of this.#items) {
      const now = await shownOf(client, item);
      if (show(now) !== show(shown))
        changed.push(`the item ${item.id} was ${show(shown)}, and is ${show(now)}`);
    }
    this.#exchange.close();
    return [...this.#changes, ...changed];
  }

  get count(): number {
    return this.#items.length;
  }
}

function isAt({ client, item }: Bystander, path: string): boolean {
  const pattern = client.resource.itemPath
    .split('/')
    .map((part) => {
      if (part === `{${client.resource.parameter.name}}`) return escaped(encodeURIComponent(String(item.id)));
      return part.startsWith('{') ? '[^/]+' : escaped(part);
    })
    .join('/');
  return new RegExp(`^${pattern}(?:/|$)`).test(path);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What a GET of the item shows, or else the list; null if neither has it. */
async function shownOf(client: ResourceClient, { owner, id }: OwnItem): Promise<Value> {
  const { get, list } = client.resource;
  if (get !== undefined) return bodyOf((await client.item(owner, get, id)).outcome);
  if (list === undefined) return null;
  const items = client.reader.itemsOf(await readList(client, owner, list));
  return items.find((one) => one.id === id)?.value ?? null;
}
