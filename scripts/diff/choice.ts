import { canonical, isObject } from '../kit/canonical.js';
import { type Difference, effectOf } from './change.js';
import { fingerprint } from './fingerprint.js';
import type { Node } from './node.js';
import { isBare, type Shape } from './shape.js';
import { judge, type SchemaFinding, type Walk } from './walk.js';

/** Compares `oneOf` and `anyOf`: schemas that were removed, added or changed. */
export function compareChoices(base: Shape, next: Shape, walk: Walk, member: string): SchemaFinding[] {
  const judged = judge(walk, member);
  const [before] = base.choices;
  const [after] = next.choices;
  const extra = Math.max(base.choices.length, next.choices.length) > 1;
  if (
    extra &&
    canonical(base.choices.map((choice) => fingerprint(choice))) !==
      canonical(next.choices.map((choice) => fingerprint(choice)))
  ) {
    const at = after ?? before ?? next.node;
    return [judged({ effect: 'other', at, what: 'several choices of schemas at once have changed' })];
  }
  if (before === undefined && after === undefined) return [];
  const pairs = paired(
    before?.children() ?? [unwrapped(base.node)],
    after?.children() ?? [unwrapped(next.node)],
  );
  return [
    ...compareKinds(before, after).map(judged),
    ...pairs.same.flatMap(([old, now]) => walk.compare([old], [now], member)),
    ...pairs.dropped.map((at) =>
      judged({
        effect: 'narrower',
        at: at.use,
        what: `no longer ${nameOf(at)} among the schemas to choose from`,
      }),
    ),
    ...pairs.added.map((at) =>
      judged({
        effect: 'wider',
        adds: true,
        at: at.use,
        what: `${nameOf(at)} is among the schemas to choose from now`,
      }),
    ),
  ];
}

/** A value may fit several schemas of an `anyOf`, and only one of a `oneOf`. */
function compareKinds(before: Node | undefined, after: Node | undefined): Difference[] {
  const [old, now] = [before, after].map((node) => node?.path.at(-1));
  if (after === undefined || old === undefined || old === now) return [];
  return [{ effect: now === 'anyOf' ? 'wider' : 'narrower', at: after, what: `${old} → ${now}` }];
}

/** The only schema of an `allOf`, `oneOf` or `anyOf`. */
function unwrapped(schema: Node): Node {
  const lists = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => schema.get(key) ?? []);
  const [only, ...more] = lists.flatMap((list) => list.children());
  return only === undefined || more.length > 0 || !isBare(schema) ? schema : unwrapped(only);
}

interface Pairs {
  readonly same: readonly (readonly [Node, Node])[];
  readonly dropped: readonly Node[];
  readonly added: readonly Node[];
}

/** Pairs equal schemas, then those of the same component or place, then the rest in its order. */
function paired(base: readonly Node[], next: readonly Node[]): Pairs {
  const before = [...base];
  const after = [...next];
  const same: [Node, Node][] = [];
  for (const mark of [(node: Node) => fingerprint(node), (node: Node) => node.key]) {
    for (const old of [...before]) {
      const index = after.findIndex((now) => mark(now) === mark(old));
      const [now] = index < 0 ? [] : after.splice(index, 1);
      if (now === undefined) continue;
      same.push([old, now]);
      before.splice(before.indexOf(old), 1);
    }
  }
  while (before.length > 0 && after.length > 0 && before.length === after.length) {
    const old = before.shift();
    const now = after.shift();
    if (old !== undefined && now !== undefined) same.push([old, now]);
  }
  return { same, dropped: before, added: after };
}

function nameOf({ path }: Node): string {
  const name = path.at(-1);
  return path[0] === 'components' && path.length === 3 ? `${name}` : `schema ${Number(name) + 1}`;
}

/** The member that selects a schema. The schemas that it selects are compared as choices. */
export function compareDiscriminators(base: Shape, next: Shape): Difference[] {
  const before = base.discriminator;
  const after = next.discriminator;
  const at = after ?? before ?? next.node;
  const member = [before, after].map((node) => node?.text('propertyName') ?? 'none');
  if (member[0] !== member[1]) {
    // With a discriminator, its member must name one of the schemas.
    const effect = before === undefined ? 'narrower' : after === undefined ? 'wider' : 'other';
    return [{ effect, at, what: `discriminator ${member.join(' → ')}` }];
  }
  const values = [before, after].map((node) => namesIn(node?.get('mapping')));
  const effect = effectOf(values[0] ?? [], values[1] ?? []);
  const what = `values of the discriminator ${values.map((names) => names.join(', ') || 'none').join(' → ')}`;
  return effect === undefined ? [] : [{ effect, at, what }];
}

function namesIn(mapping: Node | undefined): string[] {
  return isObject(mapping?.value) ? Object.keys(mapping.value) : [];
}
