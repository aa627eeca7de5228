/**
 * Reads the YAML of a document without losing a digit, and knows the line and column of each value.
 *
 * A YAML parser alone would round a number such as 9007199254740993 before anybody looks at it, and a fault
 * could only be told by a path such as `/paths/~1plants/post/responses/200`. So the parser's nodes are kept
 * beside the value that is made of them: integers become bigints, and `place` looks for the node at a path, or
 * for the nearest one above it.
 */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
  type Document as YamlDocument,
} from 'yaml';
import { ContractError, type JsonObject, messageOf, type Path } from '../../../exact-json/index.js';

interface Yaml {
  /** Integers are bigints. `12.0` is not one: it was written with a fraction. */
  readonly value: JsonObject;
  /**
   * A sentence for each merge key. `<<` is of YAML 1.1, and documents have it all the same: its members are read as if they
   * were written out, as swagger-parser and Redocly read them.
   */
  readonly merges: readonly string[];
  /** @returns where the path stands in the text, such as `openapi/plants.yaml:12:3` */
  place(path: Path): string;
}

const hints: Readonly<Record<string, string>> = {
  BAD_DIRECTIVE: 'take this line away',
  BAD_INDENT: 'indent it like its neighbours, with spaces',
  BLOCK_AS_IMPLICIT_KEY: 'put a nested map on lines of its own, or quote a text that has ": " in it',
  DUPLICATE_KEY: 'keep one of the two',
  MISSING_CHAR: 'close the quote or bracket, and put a space after ":" and "-"',
  MULTILINE_IMPLICIT_KEY: 'a ":" after the key is missing, or a bracket or quote before it is open',
  NON_STRING_KEY: 'write each key as a text',
  TAB_AS_INDENT: 'write spaces',
  TAG_RESOLVE_FAILED: 'take the tag away',
  UNEXPECTED_TOKEN: 'quote the text if it begins with one of *&!|>%@`{[',
};

/**
 * @param text the YAML, or JSON, which is YAML
 * @param name what each place begins with, such as `openapi/plants.yaml`
 * @param otherwise what is said of a text that is not a map
 * @throws {ContractError} if the text is not YAML 1.2, or not a map
 */
export function readYaml(
  text: string,
  name: string,
  otherwise = 'an OpenAPI document is a map: begin it with "openapi: 3.0.3"',
): Yaml {
  // What is not UTF-8 was read as U+FFFD, and UTF-16 has a NUL beside each ASCII character.
  if (/^\ufffd|^.{0,3}\0/s.test(text))
    throw new ContractError(`${name}:1:1: this file is not UTF-8: save it as UTF-8.`);
  const [comment] = /^\s*(?:\/\/|\/\*)/.exec(text) ?? [];
  if (comment !== undefined) {
    const line = comment.split('\n').length;
    throw new ContractError(`${name}:${line}:1: JSON has no comments: take this one away.`);
  }
  const lines = new LineCounter();
  const yaml = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    // `200:` and `true:` would otherwise be a number and a boolean.
    stringKeys: true,
    merge: true,
    // `!!timestamp`, `!!set` and the like would otherwise be values that JSON does not have.
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  // A tag that the parser does not know is only a warning, and its value a text.
  const [fault] = [...yaml.errors, ...yaml.warnings];
  if (fault !== undefined) {
    if (fault.code === 'MULTIPLE_DOCS') {
      const mark = text.lastIndexOf('---', fault.pos[0]);
      throw new ContractError(`${at(mark)}: another document begins here: keep one of them in this file.`);
    }
    const hint = hints[fault.code];
    throw new ContractError(`${at(fault.pos[0])}: ${fault.message}${hint === undefined ? '' : `: ${hint}`}.`);
  }
  if (yaml.directives?.yaml.version === '1.1') {
    // Its dates are not values of JSON, and it reads `yes` as a boolean.
    throw new ContractError(`${at(text.search(/^%YAML/m))}: YAML 1.1 is not supported: take this line away.`);
  }
  if (!isMap(yaml.contents)) throw new ContractError(`${at(0)}: ${otherwise}.`);
  refuseCircles(yaml, at);
  refuseExplosions(yaml, at);
  const offsetOf = offsetsIn(yaml);
  return { value: toJson(yaml, name), merges: mergesIn(yaml, at), place: (path) => at(offsetOf(path)) };
}

/** @throws {ContractError} if an alias stands within the node that it repeats, which would have no end */
function refuseCircles(yaml: YamlDocument, at: (offset: number) => string): void {
  visit(yaml, {
    Alias(_key, alias, ancestors) {
      const repeated = alias.resolve(yaml);
      if (repeated === undefined || !ancestors.some((node) => node === repeated)) return;
      const { source: name, range } = alias;
      throw new ContractError(
        `${at(range?.[0] ?? 0)}: *${name} stands within &${name}, and would have no end: write it out.`,
      );
    },
  });
}

/** A document of a few thousand paths has some hundred thousand nodes. */
const maxNodes = 2_000_000;

/**
 * An alias is read as what it repeats, and an alias of aliases grows with each level: nine levels of nine have 387 million
 * nodes. So what counts is the number of nodes once all aliases are written out, and not how many aliases there are.
 *
 * @throws {ContractError} if there are too many
 */
function refuseExplosions(yaml: YamlDocument, at: (offset: number) => string): void {
  const sizes = new Map<unknown, number>();
  const sizeOf = (node: unknown): number => {
    const known = sizes.get(node);
    if (known !== undefined) return known;
    const parts = isAlias(node)
      ? [node.resolve(yaml)]
      : isMap(node)
        ? node.items.map(({ value }) => value)
        : isSeq(node)
          ? node.items
          : [];
    const size = parts.reduce((sum: number, part) => sum + sizeOf(part), isAlias(node) ? 0 : 1);
    if (size > maxNodes) {
      const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
      throw new ContractError(
        `${at(offset)}: with its aliases written out, this has more than ${maxNodes} nodes: repeat less by aliases.`,
      );
    }
    sizes.set(node, size);
    return size;
  };
  sizeOf(yaml.contents);
}

function mergesIn(yaml: YamlDocument, at: (offset: number) => string): string[] {
  const merges: string[] = [];
  visit(yaml, {
    Pair(_key, { key }) {
      if (isMergeKey(key) && isNode(key))
        merges.push(
          `${at(key.range?.[0] ?? 0)}: "<<" is of YAML 1.1, and other readers take it for a member: write the members out.`,
        );
    },
  });
  return merges;
}

/** The library reads a plain `<<` as a symbol of that name. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && (key.type ?? 'PLAIN') === 'PLAIN' && key.source === '<<';
}

/** The maps that a merge key names: one, or a list of them. */
function mergedMaps(yaml: YamlDocument, value: unknown): YAMLMap[] {
  const node = isAlias(value) ? value.resolve(yaml) : value;
  if (isMap(node)) return [node];
  return isSeq(node) ? node.items.flatMap((item) => mergedMaps(yaml, item)) : [];
}

/** @returns finds the offset of the node at a path, or of the nearest one above it */
function offsetsIn(yaml: YamlDocument): (path: Path) => number {
  // The library's `get` looks through all members of a map, which can be 10,000 paths.
  const members = new Map<YAMLMap, ReadonlyMap<string, unknown>>();
  const membersOf = (map: YAMLMap): ReadonlyMap<string, unknown> => {
    const known = members.get(map);
    if (known !== undefined) return known;
    const [merges, own] = [
      map.items.filter(({ key }) => isMergeKey(key)),
      map.items.filter(({ key }) => !isMergeKey(key)),
    ];
    // The first map that has a name gives its member, and the map itself before all of them.
    const merged = merges.flatMap(({ value }) => mergedMaps(yaml, value)).toReversed();
    const all = new Map([
      ...merged.flatMap((one) => [...membersOf(one)]),
      ...own.map(({ key, value }) => [nameOf(key), value] as const),
    ]);
    members.set(map, all);
    return all;
  };
  return (path) => {
    let node: unknown = yaml.contents;
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (const key of path) {
      // The library's `getIn` does not follow aliases.
      const outer = isAlias(node) ? node.resolve(yaml) : node;
      if (isMap(outer)) node = membersOf(outer).get(String(key));
      else node = isSeq(outer) ? outer.get(key, true) : undefined;
      if (!isNode(node) || !node.range) break;
      [offset] = node.range;
    }
    return offset;
  };
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

/** @throws {ContractError} if an alias leads nowhere, or a merge key names what is no map */
function toJson(yaml: YamlDocument, name: string): JsonObject {
  try {
    // The top is a map. A scalar of YAML 1.2 is a value of JSON if it has no tag and is finite.
    return yaml.toJS({ maxAliasCount: -1 }) as JsonObject;
  } catch (error) {
    throw new ContractError(`${name}:1:1: ${messageOf(error)}.`);
  }
}
