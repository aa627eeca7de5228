/**
 * Writes valid plants for tests and tools. They name only the members that they are about. All other members
 * that the contract requires are added here, with values that the caller has from an example of the contract.
 * So a new required member needs no change of a test.
 */
import pg from 'pg';

/** The members to name in JSON. Those that are undefined are left out. */
type Named = Readonly<Record<string, string | bigint | number | boolean | null | undefined>>;

export interface PlantTexts {
  /**
   * Writes the JSON of a plant, for the body of a create.
   *
   * @param given members, or a text, which keeps its bytes, even if it is not valid: what is missing goes
   *   before its last brace
   */
  newPlantText(given: string | Named): string;
  /**
   * Writes the JSON that the service answers for a plant with these members: its serializer writes required
   * ones first.
   */
  plantText(given: Named): string;
  /** Reads the plant of `plantText` by `JSON.parse`. */
  parsedPlant(given: Named): unknown;
  /**
   * Writes the SQL statement that stores plants without the service.
   *
   * @param rows a query whose columns are owner, id, name, and then those of `others`
   * @param others names of further members
   */
  insertPlants(rows: string, others?: readonly string[]): string;
}

/** The values of members, as the texts of their JSON. */
type Texts = Readonly<Record<string, string>>;

/** @param required a value for each member that the contract requires */
export function plantTexts(required: Texts): PlantTexts {
  const plantText = (given: Named): string => {
    const { id: _, ...members } = { ...required, ...textsOf(given) };
    return objectOf(members);
  };
  return {
    newPlantText(given) {
      if (typeof given === 'string') return withRequired(given, required);
      const named = textsOf(given);
      return objectOf({ ...named, ...required, ...named });
    },
    plantText,
    parsedPlant: (given) => JSON.parse(plantText(given)),
    insertPlants: (rows, others = []) => insertionOf(rows, ['id', 'name', ...others], required),
  };
}

function withRequired(text: string, required: Texts): string {
  const end = text.lastIndexOf('}');
  const missing = Object.entries(required).filter(([name]) => !new RegExp(`"${name}"\\s*:`).test(text));
  const added = objectOf(Object.fromEntries(missing)).slice(1, -1);
  if (end === -1 || added === '') return text;
  const isEmpty = text.slice(0, end).trimEnd().endsWith('{');
  return `${text.slice(0, end)}${isEmpty ? '' : ','}${added}${text.slice(end)}`;
}

function textsOf(named: Named): Record<string, string> {
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : JSON.stringify(value)]),
  );
}

function objectOf(texts: Texts): string {
  return `{${Object.entries(texts)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}

/** PostgreSQL converts the values to the types of their columns, but takes null of JSON for NULL. */
function insertionOf(rows: string, named: readonly string[], required: Texts): string {
  const others = Object.entries(required).filter(([name]) => !named.includes(name));
  const columns = others.map(([name]) => pg.escapeIdentifier(name));
  const values = others.map(([, text], at) => (text === 'null' ? "'null'" : `others.${columns[at]}`));
  const json = pg.escapeLiteral(objectOf(Object.fromEntries(others)));
  return `INSERT INTO plants (${['owner', ...named.map(pg.escapeIdentifier), ...columns].join(', ')})
    SELECT ${['row.*', ...values].join(', ')}
    FROM (${rows}) AS row, jsonb_populate_record(NULL::plants, ${json}) AS others`;
}
