/**
 * Puts the resources of a service together: their tables, migrations and handlers. A resource that is missing
 * does not compile.
 */
import { join } from 'node:path';
import { tokensTable } from '../access/token-store.js';
import type { Contract } from '../contract/contract.js';
import { LongLists } from '../fairness/long-lists.js';
import type { Database } from '../postgres/database.js';
import type { NeededTable } from '../postgres/readiness.js';
import { type Project, readProject, sourceFolder } from '../project.js';
import { columnsBesideContract, type StoredTable } from '../store/table.js';
import type { Handlers, Resource } from './resource.js';

/** The folder with the migrations of the table of tokens, which each service has. */
export const tokenMigrations = join(sourceFolder(join(import.meta.dirname, '..', 'access')), 'migrations');

/** The security schemes that packages/service/src/app.ts has a check for. */
export type CheckedScheme = 'bearerAuth';

/** The parts of a service: its contract, and the tables, migrations and handlers of its resources. */
export interface ServiceDefinition {
  /** The name and the version that its package.json has. */
  readonly project: Project;
  /** @throws {ContractError} if the types were made from another document */
  readContract(): Promise<Contract>;
  readonly tables: readonly StoredTable[];
  /** The tables, columns and rights that requests need. `/ready` checks that they are there. */
  readonly neededTables: readonly NeededTable[];
  /** The absolute paths of the folders with migrations. */
  readonly migrationFolders: readonly string[];
  /**
   * Makes the stores of all resources, and the handlers that use them.
   *
   * @returns the handlers, by operationId
   * @throws {ContractError} if the contract does not have the schema of a table
   * @throws {DatabaseUnavailableError} if the database cannot say which tables are distributed
   */
  openHandlers(contract: Contract, database: Database): Promise<Handlers>;
}

interface GivenService<Resources> {
  /**
   * Reads the document that codegen has written, by `readGenerated`.
   *
   * @param folder the absolute path of the source of `folder`
   * @throws {ContractError} if the YAML has changed since
   */
  readonly readContract: (folder: string) => Promise<Contract>;
  /**
   * The absolute path of the folder that holds the folders of the resources: `import.meta.dirname` of the file that
   * names them. If that was compiled into dist/, migrations are read from its source.
   */
  readonly folder: string;
  /**
   * The resources, by the names of their folders. Each folder has its migrations in the folder `migrations`.
   */
  readonly resources: Resources;
}

interface ContractTypes {
  readonly operations: object;
  readonly security: object;
}

/**
 * Puts the parts of a service together. An operation without a handler is a compile error, and so is a
 * security scheme without a check. It takes two calls, because TypeScript infers all type arguments or none:
 * the first one names the contract's types, and the second one has the parts.
 */
export function serviceOf<Of extends ContractTypes>() {
  return <const Resources extends Readonly<Record<string, Resource>>>({
    readContract,
    folder,
    resources,
  }: GivenService<Resources> & NoInfer<ServiceFaults<Of, Resources>>): ServiceDefinition => {
    const tables = Object.values<Resource>(resources).map(({ table }) => table);
    const sources = sourceFolder(folder);
    return {
      project: readProject(folder),
      readContract: () => readContract(sources),
      tables,
      neededTables: [{ name: tokensTable, columns: [], rights: ['SELECT'] }, ...tables.map(neededTable)],
      migrationFolders: [
        tokenMigrations,
        ...Object.keys(resources).map((name) => join(sources, name, 'migrations')),
      ],
      async openHandlers(contract, database) {
        const longLists = new LongLists();
        const opened = Object.values<Resource>(resources).map(({ open }) =>
          open(contract, database, longLists),
        );
        return Object.assign({}, ...(await Promise.all(opened)));
      },
    };
  };
}

function neededTable(stored: StoredTable): NeededTable {
  return {
    name: stored.table,
    columns: [...Object.keys(stored.columns), ...columnsBesideContract(stored)],
    rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  };
}

/** The operationIds that the handlers of the resources have. */
type HandledBy<Resources> = {
  [Name in keyof Resources]: Resources[Name] extends Resource<infer Bound> ? keyof Bound : never;
}[keyof Resources];

/** The security schemes that the operations ask for. */
type SchemesOf<Security> = {
  [Id in keyof Security]: Security[Id] extends readonly (infer Scheme)[] ? Scheme : never;
}[keyof Security];

/**
 * A member with a sentence for each operation without a handler, and for each scheme without a check. No call
 * has such a member, so the compiler shows the sentence.
 */
type ServiceFaults<Of extends ContractTypes, Resources> = {
  readonly [Id in Exclude<keyof Of['operations'], HandledBy<Resources>> &
    string]: `The operation "${Id}" has no handler: add its resource.`;
} & {
  readonly [Scheme in Exclude<SchemesOf<Of['security']>, CheckedScheme> &
    string]: `The security scheme "${Scheme}" has no check.`;
};
