/**
 * Reads where each operation is served. `--url` stands for the servers of the whole document. A path or an operation may
 * have servers of its own: what is at the same origin is asked there, and anything else is left out.
 */
import type { Node } from '../../document/node.js';
import { type Operation, pathsOf } from '../../document/operations.js';
import type { Description } from './description.js';
import { leaveOut, type Narrowed } from './leave-out.js';

/** @param url that of `--url` */
export function withServers(description: Description, url: URL): Narrowed {
  const places = new Map(description.operations.map((operation) => [operation, placeOf(operation, url)]));
  if ([...places.values()].every((place) => place === undefined)) return { description, leftOut: [] };
  const operations = description.operations.map((operation) => {
    const place = places.get(operation);
    return place?.base === undefined ? operation : { ...operation, base: place.base };
  });
  const elsewhere = new Map(
    Array.from(places, ([{ id }, place]) => [id, place?.elsewhere] as const).filter(
      ([, one]) => one !== undefined,
    ),
  );
  return leaveOut({ ...description, operations, paths: pathsOf(operations) }, ({ id }) => {
    const address = elsewhere.get(id);
    return address === undefined ? undefined : `it is served at ${address}: check it there by another run.`;
  });
}

interface Place {
  readonly base?: string;
  readonly elsewhere?: string;
}

/** @returns undefined if the operation is where all of the document are */
function placeOf({ node, path }: Operation, url: URL): Place | undefined {
  const own = [node, node.fromRoot(['paths', path])].map((one) => one?.list('servers') ?? []);
  const addresses =
    own.find((servers) => servers.length > 0)?.flatMap((server) => addressOf(server, url)) ?? [];
  const [first] = addresses;
  if (first === undefined) return undefined;
  const shared = (node.fromRoot(['servers'])?.members() ?? []).flatMap(([, server]) =>
    addressOf(server, url),
  );
  const isShared = (address: URL): boolean =>
    shared.some((one) => pathOf(one) === pathOf(address) && one.origin === address.origin);
  if (addresses.some(isShared)) return undefined;
  // The document may name the server by another address than --url does.
  const here = addresses.find(
    ({ origin }) => origin === url.origin || shared.some((one) => one.origin === origin),
  );
  return here === undefined ? { elsewhere: first.href } : { base: pathOf(here) };
}

/** The address with the default values of its variables. A relative one is at the origin of `--url`. */
function addressOf(server: Node, url: URL): URL[] {
  const text = (server.text('url') ?? '/').replaceAll(
    /\{([^{}]+)\}/g,
    (_, name: string) => server.at('variables', name)?.text('default') ?? '',
  );
  return URL.canParse(text, url.href) ? [new URL(text, url)] : [];
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}
