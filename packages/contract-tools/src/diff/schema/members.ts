/**
 * Compares the members of two objects: their names, which are required, and their schemas.
 *
 * A removed member breaks in both directions: the server ignores or refuses what clients send, and clients
 * that read it find nothing. An added member breaks a request if it is required, and a response only if
 * clients were told that there are no other members. There is one more case. An alternative of a `oneOf` gets
 * a member `colour` with an enum. A client sends only members that the contract names, so nobody has sent
 * `colour`, unless another alternative names it: then a client may have sent it here with any value, and the
 * enum refuses it. `known` has the members that the whole old schema names in any of its alternatives.
 */
import type { Direction, Node } from '../../document/node.js';
import { fitsPattern } from './shape.js';
import type { Schemas, Shape } from './shape-types.js';
import { inMember, type SchemaChange, type Walk } from './walk.js';

/**
 * @param owner the place of the objects, such as `plants[]`; '' for the outermost
 * @param known the members that the whole old schema names, if these objects are alternatives of it
 */
export function compareMembers(
  base: Shape,
  next: Shape,
  walk: Walk,
  owner: string,
  known: ReadonlySet<string>,
): SchemaChange[] {
  const before = visibleMembers(base, walk.direction);
  const after = visibleMembers(next, walk.direction);
  return [
    ...[...before].flatMap(([name, schemas]) => {
      const known = after.get(name) ?? unnamed(name, next);
      const member = below(owner, name);
      return known === undefined
        ? [removed(schemas, next, member)]
        : [...walk.compare(schemas, known, member), ...compareNeed(name, base, next, member)];
    }),
    ...[...after]
      .filter(([name]) => !before.has(name))
      .flatMap(([name, schemas]) => {
        const others = unnamed(name, base);
        const member = below(owner, name);
        const isTold = others === undefined && !base.required.has(name);
        return [
          ...(others === undefined
            ? [added(name, schemas, base, next, walk, member, known)]
            : walk.compare(others, schemas, member)),
          ...(isTold ? [] : compareNeed(name, base, next, member)),
        ];
      }),
    ...compareUnnamedNeeds(base, next, owner),
    ...compareOthers(base, next, walk, owner),
  ];
}

/**
 * Returns the members that are sent: a request has no read-only ones, a response no write-only ones. The members
 * whose names fit a pattern are compared as if the pattern were a name.
 */
function visibleMembers({ members, patternMembers }: Shape, direction: Direction): Map<string, Schemas> {
  const hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
  const patterns = [...patternMembers].map(([pattern, schemas]) => [`/${pattern}/`, schemas] as const);
  return new Map(
    [...members, ...patterns].filter(([, schemas]) => !schemas.some((schema) => schema.flag(hidden))),
  );
}

/** Returns the schemas of a member that has no name of its own: those of a pattern that it fits, or of all others. */
function unnamed(name: string, { others, patternMembers }: Shape): Schemas | undefined {
  const fitting = [...patternMembers].filter(([pattern]) => fitsPattern(name, pattern));
  if (fitting.length > 0) return fitting.flatMap(([, schemas]) => schemas);
  return others.closed === undefined && others.schemas.length > 0 ? others.schemas : undefined;
}

function removed(schemas: Schemas, next: Shape, member: string): SchemaChange {
  return { kind: 'removed', at: schemas[0]?.use ?? next.node, member, what: 'removed' };
}

function added(
  name: string,
  schemas: Schemas,
  base: Shape,
  next: Shape,
  { direction }: Walk,
  member: string,
  known: ReadonlySet<string>,
): SchemaChange {
  const required = next.required.has(name);
  const closed = base.others.closed !== undefined;
  const need = required ? 'required' : 'optional';
  const change = { adds: true, at: schemas[0]?.use ?? next.node, member };
  if (direction === 'response') {
    const unexpected = closed ? ', where no further member was to be expected' : '';
    // A client that was told to expect no other members may refuse this one.
    return {
      ...change,
      kind: closed ? 'added-to-closed-object' : 'added',
      what: `added, ${need}${unexpected}`,
    };
  }
  // A client sends no members that no schema names. It may send this one if another alternative names it.
  const restricts = known.has(name) && !closed;
  const what = `added, ${need}${restricts ? ', where it could have any value' : ''}`;
  const kind = required ? 'added-required' : restricts ? 'added-and-restricted' : 'added';
  return { ...change, kind, what };
}

function compareNeed(name: string, base: Shape, next: Shape, member: string): SchemaChange[] {
  const before = base.required.get(name);
  const after = next.required.get(name);
  const judged = inMember(member);
  if (after !== undefined) {
    return before === undefined ? [judged({ kind: 'became-required', at: after, what: 'required now' })] : [];
  }
  if (before === undefined) return [];
  return [judged({ kind: 'became-optional', at: sameList(before, next), what: 'no longer required' })];
}

/** Compares members that are required, although no schema names them. */
function compareUnnamedNeeds(base: Shape, next: Shape, owner: string): SchemaChange[] {
  return [...new Set([...base.required.keys(), ...next.required.keys()])]
    .filter((name) => !base.members.has(name) && !next.members.has(name))
    .flatMap((name) => compareNeed(name, base, next, below(owner, name)));
}

/** Returns the list of required members in the new contract at the place of the old one, if it is there. */
function sameList(before: Node, next: Shape): Node {
  return [...next.required.values()].find(({ key }) => key === before.key) ?? before;
}

function compareOthers(base: Shape, next: Shape, walk: Walk, owner: string): SchemaChange[] {
  const judged = inMember(owner);
  const before = base.others;
  const after = next.others;
  if (after.closed !== undefined) {
    const what = 'members that are not named are no longer allowed';
    return before.closed === undefined
      ? [judged({ kind: 'additional-properties-forbidden', at: after.closed, what })]
      : [];
  }
  if (before.closed !== undefined) {
    const at = next.node.at('additionalProperties') ?? before.closed;
    return [
      judged({
        kind: 'additional-properties-allowed',
        at,
        what: 'members that are not named are allowed now',
      }),
    ];
  }
  return walk.compare(before.schemas, after.schemas, below(owner, '*'));
}

export function below(owner: string, name: string): string {
  return owner === '' ? name : `${owner}.${name}`;
}
