/**
 * The id of a change, such as `request-property-max-length-decreased`: a subject and a kind. The subject says
 * where the change is (`request-property`), and the kind says what changed, and how (`max-length-decreased`).
 *
 * The comparison names only the kind. Whether a change breaks consumers follows from its id, and from nothing
 * else: the meaning of the kind says what became of the allowed values, and the subject says who sends them
 * (change.ts). So each id has one verdict, which change-ids.md lists, and a reader of a report can look it up.
 */
import type { Direction } from '../document/node.js';

/** The change of the set of allowed values; `other`: some values were removed and others added. */
export type Effect = 'narrower' | 'wider' | 'other';

/** `harmless` breaks nobody; any other kind breaks those whom its effect breaks. */
export type Meaning = Effect | 'harmless';

const restriction = { added: 'narrower', removed: 'wider', changed: 'other' } as const;
const valueSet = { narrowed: 'narrower', widened: 'wider', changed: 'other' } as const;

/** Changes of a schema that can be at its top and at each of its members. */
export const schemaKinds = {
  ...kindsOf(['min-length', 'min-items', 'min-properties', 'minimum'], {
    ...{ added: 'narrower', removed: 'wider', increased: 'narrower', decreased: 'wider' },
  }),
  ...kindsOf(['max-length', 'max-items', 'max-contains', 'max-properties', 'maximum'], {
    ...{ added: 'narrower', removed: 'wider', increased: 'wider', decreased: 'narrower' },
  }),
  // Without a "minContains", it is 1.
  ...kindsOf(['min-contains'], { increased: 'narrower', decreased: 'wider' }),
  ...kindsOf(['type', 'format', 'pattern', 'multiple-of', 'discriminator-values'], valueSet),
  ...kindsOf(['not', 'discriminator', 'contains', 'conditional'], restriction),
  ...kindsOf(['schema', 'enum', 'unique-items', 'choice', 'dependent-required', 'dependent-schema'], {
    added: 'narrower',
    removed: 'wider',
  }),
  ...kindsOf(['enum-value', 'alternative'], { added: 'wider', removed: 'narrower' }),
  ...kindsOf(['null', 'additional-properties'], { allowed: 'wider', forbidden: 'narrower' }),
  ...kindsOf(['default', 'xml', 'alternatives-overlap'], { changed: 'other' }),
  ...kindsOf(['unevaluated-properties', 'unevaluated-items'], { changed: 'other' }),
  'one-of-became-any-of': 'wider',
  'any-of-became-one-of': 'narrower',
} as const satisfies Readonly<Record<string, Meaning>>;

/** Changes that only a member of an object can have. */
export const propertyKinds = {
  removed: 'other',
  added: 'harmless',
  'added-required': 'narrower',
  // Another alternative names the member, so that clients may have sent it here with any value.
  'added-and-restricted': 'narrower',
  'added-to-closed-object': 'wider',
  'became-required': 'narrower',
  'became-optional': 'wider',
} as const satisfies Readonly<Record<string, Meaning>>;

export type SchemaKind = keyof typeof schemaKinds | keyof typeof propertyKinds;

const appearance = { added: 'harmless', removed: 'other' } as const;
const media = kindsOf(['media-type'], { added: 'harmless', removed: 'other', widened: 'harmless' });
const written = {
  ...media,
  ...appearance,
  'became-required': 'narrower',
  'became-optional': 'wider',
  ...kindsOf(['explode', 'content'], { changed: 'other' }),
} as const;
/** How only a parameter can change. */
const inUrls = {
  ...kindsOf(['style'], { changed: 'other' }),
  ...kindsOf(['allow-reserved', 'allow-empty-value'], { added: 'harmless', removed: 'other' }),
} as const;

/** How a parameter or a header can change. */
export type WrittenKind = keyof typeof written;

const word = { added: 'harmless', removed: 'harmless', changed: 'harmless' } as const;

/** The keywords that words.ts compares, beside extensions. */
export const wordKeywords = [
  ...(['title', 'summary', 'description', 'examples', 'externalDocs', 'deprecated', 'tags'] as const),
  ...(['bearerFormat', 'links', 'contact', 'license', 'termsOfService'] as const),
  // What a text contains says something to readers, and limits no value (JSON Schema 2020-12, section 8).
  ...(['contentMediaType', 'contentSchema'] as const),
] as const;

/** The kinds of each subject. */
export const kindsBySubject = {
  operation: { ...appearance, 'id-added': 'harmless', 'id-changed': 'other', 'id-removed': 'other' },
  server: { ...appearance, 'path-moved': 'harmless' },
  security: { changed: 'other', extended: 'harmless', 'scheme-renamed': 'harmless' },
  'request-parameter': {
    ...written,
    ...inUrls,
    ...{ 'added-required': 'other', renamed: 'other' },
    ...schemaKinds,
  },
  'request-parameter-property': { ...schemaKinds, ...propertyKinds },
  'request-body': {
    ...media,
    ...appearance,
    ...{ 'added-required': 'other', 'became-required': 'narrower', 'became-optional': 'wider' },
    ...{ 'encoding-changed': 'other', 'limit-decreased': 'other', 'limit-increased': 'harmless' },
    ...schemaKinds,
  },
  'request-property': { ...schemaKinds, ...propertyKinds },
  response: {
    ...kindsOf(['success-status'], { added: 'other', removed: 'other' }),
    // A client foresees an error, and a 206 or a 304 if it has asked for one.
    ...kindsOf(['foreseen-status'], { added: 'harmless', removed: 'harmless' }),
    ...kindsOf(['status'], { described: 'harmless', covered: 'harmless' }),
  },
  'response-header': { ...written, ...schemaKinds },
  'response-header-property': { ...schemaKinds, ...propertyKinds },
  'response-body': { ...media, ...schemaKinds },
  'response-property': { ...schemaKinds, ...propertyKinds },
  callback: { ...appearance, changed: 'other', 'changed-compatibly': 'harmless' },
  webhook: { ...appearance, changed: 'other', 'changed-compatibly': 'harmless' },
  documentation: kindsOf([...wordKeywords.map(kebab), 'extension'], word),
} as const satisfies Readonly<Record<string, Readonly<Record<string, Meaning>>>>;

type Kinds = typeof kindsBySubject;
type Subject = keyof Kinds;
/** What has a schema: the changes within the schema have the subject of its properties. */
export type SchemaSubject = 'request-body' | 'request-parameter' | 'response-body' | 'response-header';

/** The id of a change. */
export type ChangeId = { [S in Subject]: `${S}-${keyof Kinds[S] & string}` }[Subject];

/** All ids, with their meanings. */
export const changeIds: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(kindsBySubject).flatMap(([subject, kinds]) =>
    Object.entries(kinds).map(([kind, meaning]): [string, Meaning] => [`${subject}-${kind}`, meaning]),
  ),
);

/**
 * @param member the member that changed, from the outermost schema inwards; '' for the schema itself
 * @throws {RangeError} if the list has no such id: it would be one that nobody can look up
 */
export function idInSchema(subject: SchemaSubject, member: string, kind: SchemaKind): ChangeId {
  const id = `${member === '' ? subject : propertiesOf[subject]}-${kind}`;
  if (!isChangeId(id)) throw new RangeError(`ids.ts lists no ${id}.`);
  return id;
}

const propertiesOf = {
  'request-body': 'request-property',
  'request-parameter': 'request-parameter-property',
  'response-body': 'response-property',
  'response-header': 'response-header-property',
} as const satisfies Record<SchemaSubject, Subject>;

export function isChangeId(text: string): text is ChangeId {
  return changeIds.has(text);
}

/** Whether a change breaks consumers. */
export function isBreaking(id: ChangeId): boolean {
  const meaning = changeIds.get(id) ?? 'other';
  return breaks(meaning, id.startsWith('response') ? 'response' : 'request');
}

/** Whether a change of a schema breaks those who send its values, or who read them. */
export function breaksIn(direction: Direction, kind: SchemaKind): boolean {
  return breaks({ ...schemaKinds, ...propertyKinds }[kind], direction);
}

function breaks(meaning: Meaning, direction: Direction): boolean {
  return meaning === 'other' || meaning === (direction === 'request' ? 'narrower' : 'wider');
}

/** Names the change of a set of values by its effect. */
export function changeBy(effect: Effect): 'narrowed' | 'widened' | 'changed' {
  return effect === 'other' ? 'changed' : effect === 'narrower' ? 'narrowed' : 'widened';
}

/** Makes the kinds of keywords that can all change in the same ways. */
function kindsOf<Name extends string, How extends string, Is extends Meaning>(
  names: readonly Name[],
  ways: Readonly<Record<How, Is>>,
): Readonly<Record<`${Name}-${How}`, Is>> {
  const kinds = names.flatMap((name) =>
    Object.entries<Is>(ways).map(([how, meaning]) => [`${name}-${how}`, meaning]),
  );
  // Object.fromEntries forgets which names there are.
  return Object.fromEntries(kinds);
}

/** Writes a keyword as in an id: `maxLength` → `max-length`. */
type Kebab<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : Text;

export function kebab<Keyword extends string>(keyword: Keyword): Kebab<Keyword> {
  // The type does to the letters what this line does.
  return keyword.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) as Kebab<Keyword>;
}
