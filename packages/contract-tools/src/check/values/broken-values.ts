/**
 * Makes values that break one keyword of a schema.
 *
 * A server may check every keyword but one, and a value that breaks several would be refused for another one.
 * So each value breaks as little as possible. For each place in a value, each schema that holds there, and
 * each keyword of that schema, there are some candidates: for `maxLength: 255`, texts of 256 and 512
 * characters of one to four bytes. The judge (../../values/schema.ts) counts what each candidate breaks. Those that do not
 * break the keyword are dropped, and so are those that break more than others do. For a NewPlant, 110 cases
 * remain.
 *
 * A case does not hold the broken value, but makes it from a value that fits: the rest of the body must be
 * the one of a good request, with an id and a marker of its own.
 */
import fc from 'fast-check';
import type { Path } from '../../../../exact-json/index.js';
import type { Node } from '../../document/node.js';
import type { RuleName } from '../../document/rule-table.js';
import { maxMade, typeOf } from '../../values/bounds.js';
import { Decimal, isArray, isObject, sameValue, show, type Value } from '../../values/json.js';
import { itemSchemas, layersOf } from '../../values/layers.js';
import { oddTexts, widths } from '../../values/odd-texts.js';
import { anyTextOf } from '../../values/pattern-texts.js';
import { patternOf } from '../../values/patterns.js';
import { integerRanges } from '../../values/scalars.js';
import { violationsOf } from '../../values/schema.js';
import { membersOf, type Site, sitesOf, valueAt, withPart } from '../../values/sites.js';
import { anyValue, choices, NoValueError, plainValue, toNumber } from '../../values/valid-values.js';

const conditions = ['not', 'if', 'then', 'else', 'dependentSchemas', 'patternProperties'];
/** How often a schema that holds under a condition is broken. */
const maxBroken = 3;

interface BrokenValue {
  /** The place of the broken part in the value: a JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly keyword: string;
  /** The place of the keyword in the YAML. */
  readonly path: Path;
  /** The case in a few words. The broken part may derive from that of the value, such as an id. */
  why(fitting: Value): string;
  /** The rule beyond OpenAPI and HTTP that it breaks, if it is one. */
  readonly by: RuleName | undefined;
  /** Returns a value that fits with the part at `pointer` broken. */
  apply(fitting: Value): Value;
}

/**
 * Lists the ways to break each keyword at each place of a schema: if possible, that keyword only.
 *
 * @param fitting a value of the schema, which shows what each candidate breaks
 */
export function breakSites(schema: Node, fitting: Value): BrokenValue[] {
  return sitesOf([schema]).flatMap((site) =>
    site.layers.flatMap((layer) =>
      keywordsOf(layer).flatMap((keyword) => ways(schema, fitting, site, layer, keyword)),
    ),
  );
}

function ways(
  schema: Node,
  fitting: Value,
  { layers, pointer }: Site,
  layer: Node,
  keyword: string,
): BrokenValue[] {
  // An object that may be left out is there in no plainest value, and has keywords that only an object breaks.
  const [absent = 'text'] = typeOf(layers) === 'object' ? plainOr(layers) : [];
  // Candidates are made anew for each value, because some derive from the part that they replace.
  const parts = (value: Value): Value[] =>
    breakKeyword(layers, layer, keyword, valueAt(value, pointer) ?? absent);
  const within = schemasIn(layer, keyword).map(({ path }) => path);
  const hits = parts(fitting).flatMap((part, index) => {
    const violations = violationsOf(schema, withPart(fitting, pointer, part));
    const hit = violations.find(
      (violation) =>
        (violation.keyword === keyword && violation.pointer === pointer) ||
        within.some((path) => path.every((key, depth) => key === violation.path[depth])),
    );
    return hit ? [{ part, index, violations: violations.length, path: hit.path }] : [];
  });
  const least = Math.min(...hits.map(({ violations }) => violations));
  return hits
    .filter(({ violations }) => violations === least)
    .slice(0, within.length > 0 ? maxBroken : undefined)
    .map(({ part, index, path }) => ({
      pointer,
      keyword,
      path,
      by: leniencyOf(part),
      why: (value) =>
        `${pointer === '' ? 'the whole value' : pointer} breaks "${keyword}": ${show(parts(value)[index] ?? null, 60)}`,
      apply: (value) => withPart(value, pointer, parts(value)[index]),
    }));
}

/** The rule beyond OpenAPI and HTTP that a server keeps if it refuses the part. */
function leniencyOf(part: Value): RuleName | undefined {
  // Later drafts of JSON Schema take 12.0 for an integer, and many validators do.
  if (part instanceof Decimal && Number.isInteger(Number(part.text))) return 'plain-integers';
  return typeof part === 'string' && noSuchDays.includes(part) ? 'calendar' : undefined;
}

/** The schemas that hold only under a condition: each is broken in few ways, because it is the condition that servers forget. */
function schemasIn(layer: Node, keyword: string): readonly Node[] {
  if (keyword === 'then' || keyword === 'else') return [layer.at(keyword) ?? []].flat();
  const isMap = keyword === 'dependentSchemas' || keyword === 'patternProperties';
  return isMap ? (layer.at(keyword)?.members() ?? []).map(([, node]) => node) : [];
}

function keywordsOf(layer: Node): string[] {
  return layer.members().map(([keyword]) => keyword);
}

/**
 * Makes candidates for one keyword. The judge decides whether they break it.
 *
 * @param layers the schemas that hold beside the one that has the keyword: another one may describe the members
 */
function breakKeyword(layers: readonly Node[], layer: Node, keyword: string, value: Value): Value[] {
  const bound = layer.number(keyword);
  switch (keyword) {
    case 'type':
      return otherTypes(value);
    case 'required':
      return layer.list('required').map(({ value: name }) => without(value, String(name)));
    case 'format':
      return breakFormat(layer.text('format') ?? '');
    case 'minimum':
      return around(layer.number('minimum'), -1n);
    case 'maximum':
      return around(layer.number('maximum'), 1n);
    case 'exclusiveMinimum':
      return bounds(layer.number('exclusiveMinimum'));
    case 'exclusiveMaximum':
      return bounds(layer.number('exclusiveMaximum'));
    case 'multipleOf':
      return typeof value === 'bigint' ? [value + 1n] : [];
    case 'enum':
      return [0n, -1n, '', 'other', `${show(value)}x`, null];
    case 'minLength':
      return textsOfLengths(widths, [Math.max(0, Number(bound) - 1)]);
    case 'maxLength':
      return textsOfLengths([...widths, ' '], [Number(bound) + 1, Number(bound) * 2 + 2]);
    case 'pattern':
      return unlikeTexts(layer);
    case 'minItems':
    case 'maxItems':
    case 'uniqueItems':
      return breakItems(layer, keyword, value);
    case 'additionalProperties':
    case 'maxProperties':
      return isObject(value) && Number(bound ?? 0) < maxMade.items
        ? [crowded(value, Number(bound ?? 0) + 1)]
        : [];
    case 'minProperties':
      return [{}];
    case 'unevaluatedProperties':
      return isObject(value) ? [crowded(value, 1)] : [];
    case 'dependentRequired':
      return (layer.at('dependentRequired')?.members() ?? []).flatMap(([name, needed]) =>
        needed.members().map(([, other]) => without(withMember(layers, value, name), String(other.value))),
      );
    case 'contains':
    case 'minContains':
      return [[], ...plainOr(itemSchemas(layers, 0)).map((item) => [item])];
    case 'maxContains':
      return bound === undefined || Number(bound) >= maxMade.items
        ? []
        : plainOr([...itemSchemas(layers, 0), ...[layer.at('contains') ?? []].flat()]).map((item) =>
            Array.from({ length: Number(bound) + 1 }, () => item),
          );
    case 'not':
      return like(layers, layer.at('not'), value);
    case 'then':
      return like(layers, layer.at('if'), value).flatMap((other) => brokenWithin(layer.at('then'), other));
    case 'else':
      return unlike(layers, layer.at('if'), value).flatMap((other) => brokenWithin(layer.at('else'), other));
    case 'dependentSchemas':
      return (layer.at('dependentSchemas')?.members() ?? []).flatMap(([name, node]) =>
        brokenWithin(node, withMember(layers, value, name)),
      );
    case 'patternProperties':
      return (layer.at('patternProperties')?.members() ?? []).flatMap(([pattern, node]) =>
        nameOf(pattern).flatMap((name) =>
          brokenWithin(node, 'text').map((part) => (isObject(value) ? { ...value, [name]: part } : value)),
        ),
      );
    case 'propertyNames': {
      const [part = 'text'] = [layer.at('additionalProperties') ?? []]
        .flat()
        .flatMap((one) => plainOr([one]));
      return ['', 'A', ' ', '!', 'a'.repeat(1_000)].map((name) =>
        isObject(value) ? { ...value, [name]: Object.values(value)[0] ?? part } : value,
      );
    }
    default:
      return [];
  }
}

/** Values that fit another schema of the same value, if its members are changed for that. */
function like(layers: readonly Node[], other: Node | undefined, value: Value): Value[] {
  if (other === undefined) return [];
  const [wanted, whole] = [layersOf(other), isObject(value) ? value : undefined];
  if (whole === undefined) return [...wanted.flatMap(choices), ...plainOr([other])];
  const required = wanted.flatMap((one) => one.list('required')).map(({ value: name }) => String(name));
  const needed = required.reduce<Value>((made, name) => withMember(layers, made, name), whole);
  const named = membersOf(wanted).flatMap(({ name, schemas }) =>
    plainOr(schemas).map((part) => [name, part] as const),
  );
  return isObject(needed) ? [{ ...needed, ...Object.fromEntries(named) }] : [];
}

/** Values that do not fit another schema of the same value, because one of its members is changed for that. */
function unlike(layers: readonly Node[], other: Node | undefined, value: Value): Value[] {
  const unwanted = other === undefined ? [] : layersOf(other);
  const required = unwanted.flatMap((one) => one.list('required')).map(({ value: name }) => String(name));
  const changed = membersOf(unwanted).flatMap(({ name }) =>
    layers
      .flatMap((layer) => layer.at('properties', name) ?? [])
      .flatMap(layersOf)
      .flatMap(choices)
      .map((part) => (isObject(value) ? { ...value, [name]: part } : value)),
  );
  return [value, ...changed, ...required.map((name) => without(value, name))];
}

/** The value with a member, which has the plainest value if it was not there. */
function withMember(layers: readonly Node[], value: Value, name: string): Value {
  if (!isObject(value) || Object.hasOwn(value, name)) return value;
  const schemas = layers.flatMap((layer) => layer.at('properties', name) ?? []);
  const [part = 'text'] = schemas.length === 0 ? [] : plainOr(schemas);
  return { ...value, [name]: part };
}

/** Breaks each keyword of a schema at each of its places, but none of those that are conditions themselves. */
function brokenWithin(schema: Node | undefined, value: Value): Value[] {
  const sites = schema === undefined ? [] : sitesOf([schema]);
  return sites.flatMap(({ layers, pointer }) =>
    layers.flatMap((layer) =>
      keywordsOf(layer)
        .filter((keyword) => !conditions.includes(keyword))
        .flatMap((keyword) => breakKeyword(layers, layer, keyword, valueAt(value, pointer) ?? 'text'))
        .map((part) => withPart(value, pointer, part)),
    ),
  );
}

/** The plainest value, if there is one. */
function plainOr(schemas: readonly Node[]): Value[] {
  try {
    return [plainValue(schemas)];
  } catch (error) {
    if (error instanceof NoValueError) return [];
    throw error;
  }
}

/** A name of the pattern, if one is found. */
function nameOf(pattern: string): string[] {
  const names = anyTextOf(pattern);
  if (names === undefined) return [];
  return fc
    .sample(names, { seed: 0, numRuns: 20 })
    .filter((name) => patternOf(pattern)?.test(name) === true)
    .slice(0, 1);
}

function textsOfLengths(characters: readonly string[], lengths: readonly number[]): string[] {
  const made = lengths.filter((length) => length <= maxMade.characters);
  return characters.flatMap((character) => made.map((length) => character.repeat(length)));
}

function otherTypes(value: Value): Value[] {
  const others: Value[] = [null, true, 0n, new Decimal('1.5'), '', 'text', [], [value], {}];
  if (typeof value !== 'bigint') return others;
  // Forms that lenient readers take for the same integer.
  const texts = [`${value}.0`, `${value}e0`, `${value}.5`, `${value}E+1`].map((text) => new Decimal(text));
  return [...others, String(value), ` ${value}`, ...texts, new Decimal('-0.0')];
}

function without(value: Value, name: string): Value {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    : value;
}

/** These texts have the form of a date or a date-time, and name none. */
const noSuchDays = ['2020-02-30T25:00:00Z', '2020-13-01'];

function breakFormat(format: string): Value[] {
  const range = integerRanges.get(format);
  if (range === undefined) return ['', 'text', ...noSuchDays];
  const [least, most] = range;
  return [...around(least, -1n), ...around(most, 1n)];
}

/** Values beyond a bound: the next one, those that overflow into the range, those that doubles confuse. */
function around(bound: bigint | number | undefined, direction: 1n | -1n): Value[] {
  if (bound === undefined) return [];
  if (!Number.isInteger(Number(bound))) return beyondFraction(Number(bound), Number(direction));
  const limit = BigInt(bound);
  return [
    limit + direction,
    limit + direction * 1_000n,
    limit + direction * 2n ** 32n,
    limit + direction * 2n ** 64n,
    direction * 10n ** 30n,
    direction * 10n ** 400n,
  ];
}

/** The next number that a double can tell from the bound, and farther ones. */
function beyondFraction(bound: number, direction: number): Value[] {
  const next = bound + direction * Number.EPSILON * Math.max(1, Math.abs(bound));
  return [next, bound + direction * 0.01, bound + direction, bound + direction * 1e30].map(toNumber);
}

/** An exclusive bound is itself out of bounds. */
function bounds(bound: bigint | number | undefined): Value[] {
  if (bound === undefined) return [];
  return [typeof bound === 'bigint' ? bound : new Decimal(String(bound))];
}

function unlikeTexts(layer: Node): Value[] {
  const texts = [...oddTexts.map(([text]) => text), '\u0000', 'a\u0000b', 'a\u0000', '!', 'a b', 'Z9', '-'];
  const pattern = patternOf(layer.text('pattern') ?? '');
  return texts.filter((text) => pattern?.test(text) === false).slice(0, 6);
}

function breakItems(layer: Node, keyword: string, value: Value): Value[] {
  const items = isArray(value) ? value : [];
  const bound = Number(layer.number(keyword) ?? 1);
  const item =
    items[0] ?? fc.sample(anyValue([layer.at('items') ?? layer]), { seed: 0, numRuns: 1 })[0] ?? null;
  if (keyword === 'minItems') return [items.slice(0, Math.max(0, bound - 1))];
  if (keyword === 'maxItems' && bound >= maxMade.items) return [];
  const same = Array.from({ length: keyword === 'maxItems' ? bound + 1 : 2 }, () => item);
  return keyword === 'maxItems' && bound < 100 ? [same, differentItems(layer, bound + 1)] : [same];
}

/** Items that fit beside each other even if they must be unique; fewer if there are not enough values. */
function differentItems(layer: Node, count: number): Value[] {
  const any = fc.sample(anyValue([layer.at('items') ?? layer]), { seed: 0, numRuns: count * 10 });
  const different = any.filter((item, index) => any.findIndex((other) => sameValue(other, item)) === index);
  return different.slice(0, count);
}

function crowded(value: Value, count: number): Value {
  const extra = Array.from({ length: count }, (_, index) => [`unknown${index}`, 1n]);
  return isObject(value) ? { ...value, ...Object.fromEntries(extra) } : value;
}
