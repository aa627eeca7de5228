/**
 * Compares the tables before and after new migrations. While replicas are restarted one after the other,
 * those of the version before still run, with statements that were written for the old tables. A change that
 * such a statement would notice is refused (migrations.ts).
 */
import type { CatalogueTable, TableColumn } from './catalogue.js';

type Tables = ReadonlyMap<string, CatalogueTable>;

/**
 * Finds what a running version, which knows only `before`, could no longer read or write
 * (docs/scale/replicas.md).
 *
 * @param before the tables by name, and `after` the same tables after the migrations
 * @returns words for each change, for example "drops or renames the column plants.tag"
 */
export function breakingChanges(before: Tables, after: Tables): string[] {
  return [...before].flatMap(([name, old]) => {
    const table = after.get(name);
    return table === undefined ? [`drops or renames the table ${name}`] : changesOf(name, old, table);
  });
}

function changesOf(name: string, old: CatalogueTable, table: CatalogueTable): string[] {
  const ofColumns = [...new Set([...old.columns.keys(), ...table.columns.keys()])].flatMap(
    (column) => changeOf(`${name}.${column}`, old.columns.get(column), table.columns.get(column)) ?? [],
  );
  return [
    ...ofColumns,
    ...changesOfConstraints(name, old.constraints, table.constraints),
    ...(table.primaryKey === old.primaryKey ? [] : [`changes the primary key of the table ${name}`]),
  ];
}

/** A constraint that is gone refuses nothing. One with another name gets no word (store/named-failure.ts). */
function changesOfConstraints(
  table: string,
  old: CatalogueTable['constraints'],
  constraints: CatalogueTable['constraints'],
): string[] {
  return [...constraints].flatMap(([name, definition]) => {
    if (old.get(name) === definition) return [];
    const before = [...old].find(([one, same]) => same === definition && !constraints.has(one));
    return before === undefined
      ? [`adds ${definition} to the table ${table}`]
      : [`renames the constraint ${before[0]} of the table ${table}`];
  });
}

function changeOf(
  name: string,
  old: TableColumn | undefined,
  column: TableColumn | undefined,
): string | undefined {
  if (column === undefined) return `drops or renames the column ${name}`;
  if (old === undefined) {
    return column.needed ? `adds the column ${name}, which is NOT NULL, without a default` : undefined;
  }
  if (!holds(column, old)) return `changes the column ${name} from ${old.type} to ${column.type}`;
  if (column.notNull && !old.notNull) return `sets the column ${name} NOT NULL`;
  if (old.notNull && !column.notNull) return `lets the column ${name} be NULL`;
  return column.needed && !old.needed ? `drops the default of the column ${name}` : undefined;
}

/**
 * @returns whether the column still holds what `old` held, in a way that statements and answers do not
 * notice: it has the same type, or is a longer text
 */
function holds({ type, length }: TableColumn, old: TableColumn): boolean {
  if (type === old.type) return true;
  const areTexts = [type, old.type].every((one) => /^(?:text|character varying)\b/.test(one));
  return areTexts && (length === null || (old.length !== null && old.length <= length));
}
